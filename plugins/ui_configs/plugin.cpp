#include <memory>

#include <stele/sdk/plugin.hpp>

#include "ui_config.hpp"

namespace {

stele::sdk::Result<void> open(stele::sdk::Registrar& registrar) {
    registrar.add(std::make_unique<stele::ui_configs::UiConfig>());
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "ui_configs", .version = "1.0.0", .status = "stable", .requirements = "identity"},
    &open);
