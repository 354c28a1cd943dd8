#include <memory>

#include <stele/sdk/plugin.hpp>

#include "registrar_store.hpp"
#include "web_host.hpp"

namespace stele::data_stores {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    registrar.add(std::make_unique<RegistrarStore>());
    registrar.add(std::make_unique<WebHost>());
    registrar.add(std::make_unique<AutoClientMapping>());
    registrar.add(std::make_unique<TrustedDomainMapping>());
    registrar.on_install(&install_registrar);
    return {};
}

}  // namespace stele::data_stores

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "data_stores", .version = "0.1.0", .requirements = "identity"},
    &stele::data_stores::open);
