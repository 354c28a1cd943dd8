#include <memory>

#include <stele/sdk/plugin.hpp>

#include "attachment/attachment_check.hpp"
#include "attachment/collected_loads.hpp"
#include "attachment/content_log.hpp"
#include "attachment/content_sizes.hpp"
#include "attachment/node_attachment_reader.hpp"
#include "branch/services.hpp"
#include "conflict/conflict_family.hpp"
#include "family/deletion_family.hpp"
#include "family/first_repository.hpp"
#include "family/node_family.hpp"
#include "family/repository.hpp"
#include "family/sweep.hpp"
#include "graph/node_paths.hpp"
#include "job/index_job.hpp"
#include "job/jobs.hpp"
#include "job/maintenance.hpp"
#include "job/node_jobs.hpp"
#include "job/purge_job.hpp"
#include "job/relation_job.hpp"
#include "operation/branch/branch_indexes.hpp"
#include "operation/branch/branch_jobs.hpp"
#include "operation/branch/branch_merging.hpp"
#include "transfer/content_transfer.hpp"

namespace stele::nodes {

static void follow_platforms(sdk::Registrar& registrar, Services& services) {
    registrar.on_install(
        [](sdk::Context& context, const sdk::Json&) { return install_repository(context); });
    registrar.on_platform_removed([&services](sdk::Context& context) {
        return services.branches.forget_platform(context.transaction(), context.platform().number);
    });
}

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto needed = registrar.require<sdk::RowQuery, sdk::RecordLists, sdk::PrincipalDirectory,
                                    sdk::Jobs, sdk::CollectionIndexes, sdk::Upkeep>();
    if (!needed) return needed.error();
    auto& [rows, lists, principals, jobs, indexes, upkeep] = *needed;
    Services& services = registrar.own(
        std::unique_ptr<Services>(new Services{registrar, rows, lists, principals, jobs, indexes}));
    define_sweep(services);
    define_collection(services);
    define_branch_jobs(services);
    define_copy_jobs(services);
    define_purge_jobs(services);
    define_history_jobs(services);
    define_difference_jobs(services);
    define_change_jobs(services);
    define_merge_jobs(services);
    define_index_job(services);
    define_relation_job(services);
    define_maintenance_jobs(services);
    define_index_builds(services);
    add_upkeep(services, upkeep);
    registrar.publish<sdk::AttachmentReader>(
        registrar.own(std::make_unique<NodeAttachmentReader>()));
    registrar.publish<sdk::BranchMerging>(registrar.own(std::make_unique<BranchMerging>(services)));
    registrar.publish<sdk::NodePaths>(registrar.own(std::make_unique<BranchPaths>(services)));
    ContentLog& log = registrar.own(std::make_unique<ContentLog>(services));
    registrar.publish<sdk::ContentLog>(log);
    registrar.publish<sdk::ContentSizes>(registrar.own(std::make_unique<ContentSizes>(services)));
    registrar.publish<sdk::ContentTransfer>(
        registrar.own(std::make_unique<ContentTransfer>(services)));
    registrar.on_check([&services, &log](std::vector<std::string>& differences) {
        check_attachments(services, log, differences);
    });
    follow_platforms(registrar, services);
    registrar.add(std::make_unique<Repository>(services));
    registrar.add(std::make_unique<Branch>(services));
    registrar.add(std::make_unique<NodeFamily>(services));
    registrar.add(std::make_unique<DeletionFamily>(services));
    registrar.add(std::make_unique<ConflictFamily>(services));
    return {};
}

}  // namespace stele::nodes

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "nodes", .version = "0.1.0", .requirements = "identity"}, &stele::nodes::open);
