#include <stele/sdk/plugin.hpp>

#include "../witness.hpp"

namespace {

stele::sdk::Result<void> open(stele::sdk::Registrar&) {
    return stele::sdk::make_error(stele::sdk::ErrorKind::unavailable, "fails_in_open.ink_missing",
                                  "there is no ink");
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "fails_in_open", .version = "1.0.0"}, &open);
