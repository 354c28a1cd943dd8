#include <memory>
#include <vector>

#include <stele/sdk/plugin.hpp>

#include "meter.hpp"
#include "meter_keeper.hpp"

namespace stele::meters {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto* usage = registrar.find<sdk::Usage>();
    auto* tenants = registrar.find<sdk::Tenants>();
    auto* platforms = registrar.find<sdk::Platforms>();
    if (!usage || !tenants || !platforms) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "meter.services_missing",
                               "meters need tenants, platforms, and somebody who counts");
    }
    static std::vector<std::unique_ptr<MeterKeeper>> kept;
    const MeterKeeper& keeper =
        *kept.emplace_back(std::make_unique<MeterKeeper>(registrar, *usage, *tenants, *platforms));
    registrar.add(std::make_unique<Meter>(keeper));
    return {};
}

}  // namespace stele::meters

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "meters", .version = "0.1.0", .requirements = "data_stores"}, &stele::meters::open);
