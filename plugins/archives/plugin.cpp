#include <memory>

#include <stele/sdk/plugin.hpp>

#include "archive.hpp"
#include "archive_store.hpp"
#include "vault.hpp"

namespace stele::archives {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto services = registrar.require<sdk::RecordBinaries>();
    if (!services) return services.error();
    auto& [binaries] = *services;
    const ArchiveStore& store = registrar.own(std::make_unique<ArchiveStore>(binaries));
    registrar.add(std::make_unique<Vault>());
    registrar.add(std::make_unique<Archive>(store));
    registrar.on_install(
        [](sdk::Context& context, const sdk::Json&) { return install_vault(context); });
    return {};
}

}  // namespace stele::archives

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "archives", .version = "0.1.0", .requirements = "identity"}, &stele::archives::open);
