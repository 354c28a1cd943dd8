#include <memory>
#include <vector>

#include <stele/sdk/plugin.hpp>

#include "meter.hpp"
#include "meter_keeper.hpp"

namespace stele::meters {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto* usage = registrar.find<sdk::Usage>();
    auto* tenants = registrar.find<sdk::Tenants>();
    if (!usage || !tenants) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "meter.services_missing",
                               "meters need tenants, and somebody who counts");
    }
    static std::vector<std::unique_ptr<MeterKeeper>> kept;
    kept.push_back(std::make_unique<MeterKeeper>(registrar, *usage, *tenants));
    registrar.add(std::make_unique<Meter>());
    return {};
}

}  // namespace stele::meters

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "meters", .version = "0.1.0", .requirements = "data_stores"}, &stele::meters::open);
