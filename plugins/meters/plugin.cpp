#include <memory>

#include <stele/sdk/plugin.hpp>

#include "meter.hpp"
#include "meter_keeper.hpp"

namespace stele::meters {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto services = registrar.require<sdk::Usage, sdk::Tenants, sdk::Platforms>();
    if (!services) return services.error();
    auto& [usage, tenants, platforms] = *services;
    const MeterKeeper& keeper =
        registrar.own(std::make_unique<MeterKeeper>(registrar, usage, tenants, platforms));
    registrar.add(std::make_unique<Meter>(keeper));
    return {};
}

}  // namespace stele::meters

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "meters", .version = "0.1.0", .requirements = "data_stores"}, &stele::meters::open);
