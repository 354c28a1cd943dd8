#include "../broken_manifest.hpp"

namespace stele::loader_test {

// Defined nowhere.
sdk::Result<void> open_elsewhere(sdk::Registrar& registrar);

}  // namespace stele::loader_test

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "unresolved_symbol", .version = "1.0.0"}, &stele::loader_test::open_elsewhere);
