#include <stele/sdk/plugin.hpp>

#include <stdexcept>

#include "../witness.hpp"

namespace {

stele::sdk::Result<void> open(stele::sdk::Registrar&) {
    throw std::runtime_error("the ink has dried up");
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "throws_in_open", .version = "1.0.0"}, &open);
