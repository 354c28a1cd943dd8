#include <stele/sdk/plugin.hpp>

#include "../witness.hpp"

namespace {

namespace sdk = stele::sdk;

sdk::Result<void> open(sdk::Registrar& registrar) {
    registrar.setting({.name = "ink", .default_value = "blue", .description = ""});
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "undescribed_setting", .version = "1.0.0"}, &open);
