#include <stele/sdk/plugin.hpp>

#include "endpoints.hpp"

namespace stele::graphql {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    add_endpoints(registrar);
    return {};
}

}  // namespace stele::graphql

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "graphql", .version = "0.1.0", .requirements = "nodes"}, &stele::graphql::open);
