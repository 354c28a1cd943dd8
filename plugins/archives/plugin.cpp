#include <memory>

#include <stele/sdk/plugin.hpp>

#include "archive/archive.hpp"
#include "archive/archive_store.hpp"
#include "archive/vault.hpp"
#include "documents/document_exports.hpp"
#include "templates/project_templates.hpp"
#include "transfer/transfer_jobs.hpp"

namespace stele::archives {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto needed = registrar.require<sdk::RecordBinaries, sdk::Families, sdk::InnerOperations,
                                    sdk::Jobs, sdk::Teams, sdk::PrincipalDirectory>();
    if (!needed) return needed.error();
    auto& [binaries, families, operations, jobs, teams, principals] = *needed;
    const ArchiveStore& store = registrar.own(std::make_unique<ArchiveStore>(binaries, registrar));
    const std::int64_t most_running =
        registrar.number({"running_transfers", "2",
                          "Exports, imports and copies that run at the same time, fewer than "
                          "jobs.threads where these are several; others wait"},
                         1, 256);
    const TransferServices& services = registrar.own(std::unique_ptr<TransferServices>(
        new TransferServices{registrar, families, operations, jobs, teams, principals, store,
                             static_cast<std::size_t>(most_running)}));
    TransferJobs& transfers = registrar.own(std::make_unique<TransferJobs>(services));
    transfers.add_to(registrar);
    const std::int64_t package_bytes =
        registrar.bytes({"package_bytes", "4294967296",
                         "Largest package of documents; so much of the disk is also for all that "
                         "one person downloads at the same time, four times as much for everybody"},
                        1);
    registrar
        .own(std::make_unique<DocumentExports>(services, static_cast<std::uint64_t>(package_bytes)))
        .add_to(registrar);
    registrar.publish<sdk::RecordTransfer>(transfers);
    registrar.publish<sdk::ProjectTemplates>(
        registrar.own(std::make_unique<PublishedProjects>(services)));
    registrar.add(std::make_unique<Vault>());
    registrar.add(std::make_unique<Archive>(store));
    registrar.on_install(
        [](sdk::Context& context, const sdk::Json&) { return install_vault(context); });
    return {};
}

}  // namespace stele::archives

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "archives", .version = "0.1.0", .requirements = "identity"}, &stele::archives::open);
