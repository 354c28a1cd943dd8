#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "kernel/plugin/library_file.hpp"
#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::plugin {

namespace {

sdk::Error refusal(std::string_view code, const std::filesystem::path& file,
                   const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, std::string(code),
                           fmt::format("{}: {}", file.string(), problem));
}

sdk::Error malformed(const std::filesystem::path& file, const std::string& problem) {
    return refusal("plugin.manifest_malformed", file, problem);
}

/// What a refusal may print of a text that came out of a file.
std::string printable(std::string_view text) {
    std::string shown(text.substr(0, 120));
    std::replace_if(
        shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
    return shown;
}

template <std::size_t Size>
bool has_end(const char (&text)[Size]) {
    return std::find(std::begin(text), std::end(text), '\0') != std::end(text);
}

bool is_id(std::string_view text) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    if (text.empty() || !is_letter(text.front())) return false;
    return std::all_of(text.begin(), text.end(),
                       [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::vector<std::string> split_ids(std::string_view list) {
    std::vector<std::string> ids;
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view id = list.substr(0, comma);
        while (!id.empty() && id.front() == ' ')
            id.remove_prefix(1);
        while (!id.empty() && id.back() == ' ')
            id.remove_suffix(1);
        ids.emplace_back(id);
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return ids;
}

// Before anything else of the struct: its layout beyond these members is the SDK version's own.
sdk::Result<void> judge_version(const std::filesystem::path& file, std::span<const char> bytes) {
    constexpr std::size_t kNeeded = offsetof(sdk::PluginManifest, fingerprint);
    if (bytes.size() < kNeeded) {
        return malformed(file, fmt::format("the manifest is cut off: found {} bytes, wanted {}",
                                           bytes.size(), sizeof(sdk::PluginManifest)));
    }
    if (std::memcmp(bytes.data(), sdk::kPluginMagic, sizeof(sdk::kPluginMagic)) != 0) {
        return malformed(file, "found a symbol stele_plugin that is no manifest (wrong magic)");
    }
    std::array<std::uint16_t, 2> found = {};
    std::memcpy(found.data(), bytes.data() + offsetof(sdk::PluginManifest, sdk_major),
                sizeof(found));
    if (found[0] != sdk::kSdkMajor || found[1] != sdk::kSdkMinor) {
        return refusal("plugin.sdk_mismatch", file,
                       fmt::format("found a plugin for SDK {}.{}, wanted SDK {}.{}; build it with "
                                   "the SDK of this server",
                                   found[0], found[1], sdk::kSdkMajor, sdk::kSdkMinor));
    }
    return {};
}

sdk::Result<sdk::PluginManifest> copy_manifest(const std::filesystem::path& file,
                                               std::span<const char> bytes) {
    sdk::PluginManifest manifest;
    if (bytes.size() < sizeof(manifest)) {
        return malformed(file, fmt::format("the manifest is cut off: found {} bytes, wanted {}",
                                           bytes.size(), sizeof(manifest)));
    }
    // Only texts and numbers mean anything here: in a file, `open` is not yet relocated.
    std::memcpy(static_cast<void*>(&manifest), bytes.data(), offsetof(sdk::PluginManifest, open));
    if (manifest.size != sizeof(manifest)) {
        return malformed(file, fmt::format("found a manifest of {} bytes, wanted {}", manifest.size,
                                           sizeof(manifest)));
    }
    if (!has_end(manifest.fingerprint) || !has_end(manifest.id) || !has_end(manifest.version) ||
        !has_end(manifest.status) || !has_end(manifest.requirements) || !has_end(manifest.engine)) {
        return malformed(file, "a text of the manifest has no end");
    }
    return manifest;
}

sdk::Result<void> judge_texts(const std::filesystem::path& file, const PluginFile& plugin) {
    if (!is_id(plugin.id)) {
        return malformed(file, fmt::format("found id '{}', wanted small letters, digits and "
                                           "underscores, a letter first",
                                           printable(plugin.id)));
    }
    if (plugin.version.empty()) return malformed(file, "the manifest states no version");
    if (plugin.status != "draft" && plugin.status != "stable") {
        return malformed(file, fmt::format("found status '{}', wanted draft or stable",
                                           printable(plugin.status)));
    }
    if (!plugin.engine.empty() && !is_id(plugin.engine)) {
        return malformed(file, fmt::format("found engine '{}', wanted small letters, digits and "
                                           "underscores, a letter first",
                                           printable(plugin.engine)));
    }
    for (const std::string& requirement : plugin.requirements) {
        if (is_id(requirement)) continue;
        return malformed(file, fmt::format("found requirement '{}', wanted ids of plugins, "
                                           "separated by commas",
                                           printable(requirement)));
    }
    if (plugin.id != file.stem().string()) {
        return refusal("plugin.id_mismatch", file,
                       fmt::format("found plugin id {}, wanted {}, the name of the file", plugin.id,
                                   printable(file.stem().string())));
    }
    return {};
}

}  // namespace

sdk::Result<PluginFile> judge(const std::filesystem::path& file) {
    const auto library = LibraryFile::open(file);
    if (!library) return library.error();
    const auto object = library->object(sdk::kPluginSymbol);
    if (!object) {
        return refusal("plugin.manifest_missing", file,
                       fmt::format("found no exported object {}, wanted a plugin manifest",
                                   sdk::kPluginSymbol));
    }
    if (auto judged = judge_version(file, *object); !judged) return judged.error();
    const auto manifest = copy_manifest(file, *object);
    if (!manifest) return manifest.error();
    if (sdk::kFingerprint != manifest->fingerprint) {
        return refusal("plugin.build_mismatch", file,
                       fmt::format("found build '{}', wanted '{}'; compile the plugin the way this "
                                   "server was compiled",
                                   printable(manifest->fingerprint), sdk::kFingerprint));
    }
    PluginFile plugin{file,
                      manifest->id,
                      manifest->version,
                      manifest->status,
                      split_ids(manifest->requirements),
                      manifest->engine};
    if (auto judged = judge_texts(file, plugin); !judged) return judged.error();
    return plugin;
}

}  // namespace stele::kernel::plugin
