#include "kernel/plugin/plugin_host.hpp"

// The standard library's paths instead of those of Boost.Filesystem, a library that nothing else
// here needs.
#define BOOST_DLL_USE_STD_FS

#include <cstring>
#include <deque>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <boost/dll/shared_library.hpp>

namespace stele::kernel::plugin {

namespace {

/// Libraries that were opened. They are closed when the process ends: by then nothing is left of
/// what plugins made, in whatever order the server's own parts were destroyed.
std::deque<boost::dll::shared_library>& open_libraries() {
    static std::deque<boost::dll::shared_library> libraries;
    return libraries;
}

sdk::Error failure(std::string code, const PluginFile& plugin, const std::string& problem) {
    return sdk::make_error(
        sdk::ErrorKind::invalid, std::move(code),
        fmt::format("{}: plugin {}: {}", plugin.file.string(), plugin.id, problem));
}

sdk::Result<const sdk::PluginManifest*> load(const PluginFile& plugin) {
    try {
        constexpr auto kMode = boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local;
        boost::dll::shared_library library(plugin.file, kMode);
        const auto& manifest = library.get<const sdk::PluginManifest>(sdk::kPluginSymbol);
        open_libraries().push_back(std::move(library));
        return &manifest;
    } catch (const std::exception& exception) {
        return failure("plugin.open_failed", plugin,
                       fmt::format("the library cannot be opened: {}", exception.what()));
    }
}

sdk::Result<void> call_open(const PluginFile& plugin, const sdk::PluginManifest& manifest,
                            sdk::Registrar& registrar) {
    try {
        auto opened = manifest.open(registrar);
        if (opened) return opened;
        sdk::Error error = opened.error();
        error.message =
            fmt::format("{}: plugin {}: {}", plugin.file.string(), plugin.id, error.message);
        return error;
    } catch (...) {
        const sdk::Error error = escaped(plugin.id, "open");
        return failure(
            "plugin.open_threw", plugin,
            fmt::format("an exception escaped from its open function: {}", error.detail));
    }
}

}  // namespace

struct PluginHost::State {
    std::set<std::string> opened;
};

PluginHost::PluginHost() : state_(std::make_unique<State>()) {}
PluginHost::~PluginHost() = default;

sdk::Result<void> PluginHost::open(const PluginFile& plugin, sdk::Registrar& registrar) {
    if (!state_->opened.insert(plugin.id).second) {
        return failure("plugin.id_duplicate", plugin, "a plugin with this id is open already");
    }
    const auto loaded = load(plugin);
    if (!loaded) return loaded.error();
    const sdk::PluginManifest& manifest = **loaded;
    if (plugin.id != manifest.id || sdk::kFingerprint != manifest.fingerprint) {
        return failure("plugin.open_failed", plugin, "the file changed after it was judged");
    }
    if (manifest.open == nullptr) {
        return failure("plugin.manifest_malformed", plugin, "the manifest names no open function");
    }
    return call_open(plugin, manifest, registrar);
}

}  // namespace stele::kernel::plugin
