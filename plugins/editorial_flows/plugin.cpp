#include <memory>

#include <stele/sdk/plugin.hpp>

#include "editorial_flow.hpp"

namespace {

stele::sdk::Result<void> open(stele::sdk::Registrar& registrar) {
    auto needed = registrar.require<stele::sdk::InnerOperations, stele::sdk::Jobs>();
    if (!needed) return needed.error();
    auto& [operations, jobs] = *needed;
    registrar.add(std::make_unique<stele::editorial_flows::EditorialFlow>(operations, jobs));
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "editorial_flows", .version = "0.1.0", .requirements = "pull_requests"}, &open);
