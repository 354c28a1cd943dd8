#include <algorithm>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::plugin {

namespace {

using ById = std::map<std::string, const PluginFile*>;

sdk::Error refusal(std::string code, std::string sentence) {
    return sdk::make_error(sdk::ErrorKind::invalid, std::move(code), std::move(sentence));
}

void scan_folder(const std::filesystem::path& folder, ScanResult& result) {
    std::error_code failure;
    std::vector<std::filesystem::path> files;
    std::filesystem::directory_iterator entry(folder, failure);
    while (!failure && entry != std::filesystem::directory_iterator()) {
        if (entry->path().extension() == ".so") files.push_back(entry->path());
        entry.increment(failure);
    }
    if (failure) {
        result.refused.push_back(refusal("plugin.folder_unreadable",
                                         fmt::format("{}: the plugin folder cannot be read: {}",
                                                     folder.string(), failure.message())));
        result.refused_files.push_back(folder);
        return;
    }
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& file : files) {
        auto judged = judge(file);
        if (judged) {
            result.plugins.push_back(std::move(*judged));
        } else {
            result.refused.push_back(judged.error());
            result.refused_files.push_back(file);
        }
    }
}

sdk::Result<ById> select(const std::vector<PluginFile>& found,
                         const std::vector<std::string>& enabled) {
    const std::set<std::string> wanted(enabled.begin(), enabled.end());
    ById selected;
    for (const PluginFile& plugin : found) {
        if (!wanted.empty() && !wanted.contains(plugin.id)) continue;
        const auto [place, is_new] = selected.emplace(plugin.id, &plugin);
        if (!is_new) {
            return refusal(
                "plugin.id_duplicate",
                fmt::format("{}: found a second plugin with id {}, wanted only {}",
                            plugin.file.string(), plugin.id, place->second->file.string()));
        }
    }
    for (const std::string& id : wanted) {
        if (selected.contains(id)) continue;
        std::vector<std::string> known;
        for (const PluginFile& plugin : found)
            known.push_back(plugin.id);
        return refusal(
            "plugin.unknown",
            fmt::format("plugin {} is enabled but no file {}.so was found; found: {}", id, id,
                        known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    return selected;
}

sdk::Result<void> check_requirements(const ById& selected, const std::vector<PluginFile>& found) {
    for (const auto& [id, plugin] : selected) {
        for (const std::string& requirement : plugin->requirements) {
            if (selected.contains(requirement)) continue;
            const bool is_found = std::any_of(
                found.begin(), found.end(),
                [&](const PluginFile& candidate) { return candidate.id == requirement; });
            return refusal(
                "plugin.requirement_missing",
                fmt::format("{}: plugin {} requires plugin {}, which {}", plugin->file.string(), id,
                            requirement, is_found ? "is not enabled" : "was not found"));
        }
    }
    return {};
}

/// The ids on one cycle; every plugin of `rest` requires another one of it.
std::string describe_cycle(const ById& rest) {
    std::vector<std::string> path{rest.begin()->first};
    while (true) {
        const auto& requirements = rest.at(path.back())->requirements;
        const auto next = std::find_if(requirements.begin(), requirements.end(),
                                       [&](const std::string& id) { return rest.contains(id); });
        const bool is_closed = std::find(path.begin(), path.end(), *next) != path.end();
        path.push_back(*next);
        if (!is_closed) continue;
        const auto begin = std::find(path.begin(), path.end(), path.back());
        return fmt::format("{}", fmt::join(begin, path.end(), " requires "));
    }
}

}  // namespace

ScanResult scan(const std::vector<std::filesystem::path>& folders) {
    ScanResult result;
    for (const std::filesystem::path& folder : folders)
        scan_folder(folder, result);
    std::stable_sort(result.plugins.begin(), result.plugins.end(),
                     [](const PluginFile& a, const PluginFile& b) { return a.id < b.id; });
    return result;
}

sdk::Result<std::vector<PluginFile>> order(const std::vector<PluginFile>& found,
                                           const std::vector<std::string>& enabled) {
    auto selected = select(found, enabled);
    if (!selected) return selected.error();
    if (auto checked = check_requirements(*selected, found); !checked) return checked.error();

    ById rest = *selected;
    std::vector<PluginFile> ordered;
    while (!rest.empty()) {
        const auto next = std::find_if(rest.begin(), rest.end(), [&](const auto& candidate) {
            const auto& requirements = candidate.second->requirements;
            return std::none_of(requirements.begin(), requirements.end(),
                                [&](const std::string& id) { return rest.contains(id); });
        });
        if (next == rest.end()) {
            return refusal(
                "plugin.requirement_cycle",
                fmt::format("plugins require one another in a circle: {}", describe_cycle(rest)));
        }
        ordered.push_back(*next->second);
        rest.erase(next);
    }
    return ordered;
}

sdk::Result<std::vector<PluginFile>> order(const ScanResult& scanned,
                                           const std::vector<std::string>& enabled) {
    for (std::size_t i = 0; i < scanned.refused.size(); ++i) {
        const std::string id = scanned.refused_files[i].stem().string();
        const bool is_wanted = std::find(enabled.begin(), enabled.end(), id) != enabled.end();
        const bool is_found =
            std::any_of(scanned.plugins.begin(), scanned.plugins.end(),
                        [&](const PluginFile& plugin) { return plugin.id == id; });
        if (is_wanted && !is_found) return scanned.refused[i];
    }
    return order(scanned.plugins, enabled);
}

}  // namespace stele::kernel::plugin
