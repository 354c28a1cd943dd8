#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <stele/sdk/fingerprint.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/result.hpp>

/// Marks the one exported symbol of a plugin.
#define STELE_EXPORT __attribute__((visibility("default"), used))

namespace stele::sdk {

inline constexpr std::uint16_t kSdkMajor = 1;
inline constexpr std::uint16_t kSdkMinor = 0;

inline constexpr char kPluginMagic[8] = {'S', 'T', 'E', 'L', 'E', 'P', 'L', '\0'};

/// The name under which a library exports its manifest.
inline constexpr char kPluginSymbol[] = "stele_plugin";

/// The way into a plugin: the one object that its library exports, named `stele_plugin`. Plain data
/// at fixed places, so that the kernel reads and judges it in the file, before the library is
/// opened and any of its code runs. The order of the members never changes.
struct PluginManifest {
    char magic[8] = {};
    std::uint16_t sdk_major = 0;
    std::uint16_t sdk_minor = 0;
    std::uint32_t size = 0;      ///< of this struct
    char fingerprint[112] = {};  ///< `kFingerprint` of the code that was compiled
    char id[48] = {};            ///< equal to the file name without `.so`
    char version[24] = {};
    char status[12] = {};         ///< "draft" or "stable"
    char requirements[256] = {};  ///< ids of required plugins, separated by commas
    /// Name by which the setting `storage.engine` chooses the engine that the plugin publishes
    /// (services/engine_source.hpp); empty for others. Such a plugin is opened before the store and
    /// offers nothing else.
    char engine[24] = {};
    Result<void> (*open)(Registrar& registrar) = nullptr;
};

/// The texts of a manifest.
struct PluginInfo {
    std::string_view id;
    std::string_view version;
    std::string_view status = "draft";
    std::string_view requirements = {};
    std::string_view engine = {};
};

namespace detail {
template <std::size_t Size>
consteval void copy_text(char (&to)[Size], std::string_view text) {
    if (text.size() >= Size) throw "a text of the plugin manifest is too long";
    for (std::size_t i = 0; i < text.size(); ++i)
        to[i] = text[i];
}
}  // namespace detail

/// Fills in a manifest at compile time:
///
///     extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
///         stele::sdk::plugin_manifest({.id = "ui_configs", .version = "1.0.0"}, &open);
consteval PluginManifest plugin_manifest(PluginInfo info, Result<void> (*open)(Registrar&)) {
    PluginManifest manifest;
    for (std::size_t i = 0; i < sizeof(kPluginMagic); ++i)
        manifest.magic[i] = kPluginMagic[i];
    manifest.sdk_major = kSdkMajor;
    manifest.sdk_minor = kSdkMinor;
    manifest.size = sizeof(PluginManifest);
    detail::copy_text(manifest.fingerprint, kFingerprint);
    detail::copy_text(manifest.id, info.id);
    detail::copy_text(manifest.version, info.version);
    detail::copy_text(manifest.status, info.status);
    detail::copy_text(manifest.requirements, info.requirements);
    detail::copy_text(manifest.engine, info.engine);
    manifest.open = open;
    return manifest;
}

}  // namespace stele::sdk
