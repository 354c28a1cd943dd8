#include <memory>

#include <stele/sdk/plugin.hpp>

#include "editorial_flow.hpp"

namespace {

stele::sdk::Result<void> open(stele::sdk::Registrar& registrar) {
    auto operations = registrar.require<stele::sdk::InnerOperations>();
    if (!operations) return operations.error();
    registrar.add(
        std::make_unique<stele::editorial_flows::EditorialFlow>(std::get<0>(*operations)));
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "editorial_flows", .version = "0.1.0", .requirements = "pull_requests"}, &open);
