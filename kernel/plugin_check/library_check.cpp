#include "kernel/plugin_check/library_check.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/plugin/library_file.hpp"
#include "kernel/plugin/plugin_host.hpp"
#include "kernel/plugin_check/checking_registrar.hpp"
#include "kernel/resource/registration/registration.hpp"

namespace stele::kernel::plugin_check {

namespace {

using plugin::PluginFile;

std::string check_manifest(const std::filesystem::path& library) {
    const auto judged = plugin::judge(library);
    return judged ? std::string() : judged.error().message;
}

std::string check_exports(const std::filesystem::path& library) {
    const auto file = plugin::LibraryFile::open(library);
    if (!file) return file.error().message;
    const std::vector<std::string> exported = file->exported();
    if (exported.size() == 1 && exported.front() == sdk::kPluginSymbol) return {};
    return fmt::format("{}: found {} exported symbols ({}), wanted one, {}", library.string(),
                       exported.size(), fmt::join(exported, ", "), sdk::kPluginSymbol);
}

bool is_found(const std::vector<PluginFile>& found, const std::string& id) {
    return std::any_of(found.begin(), found.end(),
                       [&](const PluginFile& candidate) { return candidate.id == id; });
}

/// The ids of the plugin and of everything found that it requires, directly or not.
std::vector<std::string> required_ids(const std::vector<PluginFile>& found, const std::string& id) {
    std::vector<std::string> ids{id};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        for (const PluginFile& candidate : found) {
            if (candidate.id != ids[i]) continue;
            for (const std::string& requirement : candidate.requirements) {
                const bool is_listed = std::find(ids.begin(), ids.end(), requirement) != ids.end();
                if (!is_listed && is_found(found, requirement)) ids.push_back(requirement);
            }
        }
    }
    return ids;
}

sdk::Result<std::vector<PluginFile>> plugins_to_open(
    const std::filesystem::path& library, const std::vector<std::filesystem::path>& folders) {
    auto judged = plugin::judge(library);
    if (!judged) return judged.error();
    std::vector<PluginFile> found = plugin::scan(folders).plugins;
    std::erase_if(found, [&](const PluginFile& other) { return other.id == judged->id; });
    found.push_back(*judged);
    return plugin::order(found, required_ids(found, judged->id));
}

sdk::Result<void> open_all(const std::filesystem::path& library,
                           const std::vector<std::filesystem::path>& folders,
                           plugin::PluginHost& host, CheckingRegistrar& registrar) {
    const auto plugins = plugins_to_open(library, folders);
    if (!plugins) return plugins.error();
    for (const PluginFile& plugin : *plugins) {
        registrar.begin(plugin.id);
        if (auto opened = host.open(plugin, registrar); !opened) return opened;
        if (registrar.refusal()) return *registrar.refusal();
    }
    return {};
}

std::string check_open(const std::filesystem::path& library,
                       const std::vector<std::filesystem::path>& folders) {
    CheckingRegistrar registrar;
    plugin::PluginHost host;
    const auto opened = open_all(library, folders, host, registrar);
    return opened ? std::string() : opened.error().message;
}

std::string unequal_descriptions(const resource::RegisteredResource& registered) {
    // Not the registered one, to which the kernel has added what the capabilities stand for.
    const sdk::ResourceDescriptor first = registered.resource->describe();
    const sdk::ResourceDescriptor second = registered.resource->describe();
    const auto names = [](const auto& members) {
        std::vector<std::string> all;
        for (const auto& member : members)
            all.push_back(member.name);
        return all;
    };
    if (first.type == second.type && first.container == second.container &&
        first.path == second.path && first.placeholder == second.placeholder &&
        names(first.fields) == names(second.fields) &&
        names(first.actions) == names(second.actions)) {
        return {};
    }
    return fmt::format("plugin {}: resource {}: two calls of describe() answer differently",
                       registered.plugin_id, first.type);
}

/// The path with every placeholder called the same: names make no difference between routes.
std::string anonymous_path(const std::string& path) {
    std::string anonymous;
    bool is_inside = false;
    for (const char c : path) {
        if (c == '}') is_inside = false;
        if (!is_inside) anonymous += c;
        if (c == '{') is_inside = true;
    }
    return anonymous;
}

std::string duplicate_route(const std::vector<resource::Route>& routes) {
    std::map<std::string, const resource::Route*> known;
    for (const resource::Route& route : routes) {
        const std::string place = route.method + " " + anonymous_path(route.path);
        const auto [first, is_new] = known.emplace(place, &route);
        if (is_new) continue;
        return fmt::format("plugin {}: the route {} {} belongs to plugin {} already ({})",
                           route.plugin_id, route.method, route.path, first->second->plugin_id,
                           first->second->path);
    }
    return {};
}

std::string check_descriptors(const std::filesystem::path& library,
                              const std::vector<std::filesystem::path>& folders) {
    CheckingRegistrar registrar;
    plugin::PluginHost host;
    if (auto opened = open_all(library, folders, host, registrar); !opened) {
        return opened.error().message;
    }
    if (auto frozen = resource::freeze(registrar.registry()); !frozen)
        return frozen.error().message;
    for (const resource::RegisteredResource& registered : registrar.registry().resources()) {
        std::string problem = unequal_descriptions(registered);
        if (!problem.empty()) return problem;
    }
    return duplicate_route(registrar.registry().routes());
}

}  // namespace

std::vector<Check> library_checks(const std::filesystem::path& library,
                                  const std::vector<std::filesystem::path>& folders) {
    return {{"manifest", [=] { return check_manifest(library); }},
            {"exports", [=] { return check_exports(library); }},
            {"open", [=] { return check_open(library, folders); }},
            {"descriptors", [=] { return check_descriptors(library, folders); }}};
}

}  // namespace stele::kernel::plugin_check
