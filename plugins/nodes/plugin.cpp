#include <memory>
#include <vector>

#include <stele/sdk/plugin.hpp>

#include "content/attachment_check.hpp"
#include "content/content_log.hpp"
#include "content/content_sizes.hpp"
#include "content/node_attachment_reader.hpp"
#include "content/node_paths.hpp"
#include "content/services.hpp"
#include "families/deletion_family.hpp"
#include "families/first_repository.hpp"
#include "families/node_family.hpp"
#include "families/repository.hpp"
#include "families/sweep.hpp"
#include "operations/branch_indexes.hpp"
#include "operations/branch_jobs.hpp"
#include "operations/index_job.hpp"
#include "operations/jobs.hpp"
#include "operations/maintenance.hpp"
#include "operations/node_jobs.hpp"

namespace stele::nodes {

static void follow_platforms(sdk::Registrar& registrar, Services& services) {
    registrar.on_install(
        [](sdk::Context& context, const sdk::Json&) { return install_repository(context); });
    registrar.on_platform_removed([&services](sdk::Context& context) {
        return services.branches.forget_platform(context.transaction(), context.platform().number);
    });
}

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto* rows = registrar.find<sdk::RowQuery>();
    auto* lists = registrar.find<sdk::RecordLists>();
    auto* principals = registrar.find<sdk::PrincipalDirectory>();
    auto* jobs = registrar.find<sdk::Jobs>();
    auto* indexes = registrar.find<sdk::CollectionIndexes>();
    auto* upkeep = registrar.find<sdk::Upkeep>();
    if (!rows || !lists || !principals || !jobs || !indexes || !upkeep) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "node.services_missing",
                               "nodes need queries, lists, principals, jobs, indexes and upkeep");
    }
    static std::vector<std::unique_ptr<Services>> kept;
    Services& services =
        *kept.emplace_back(new Services{registrar, *rows, *lists, *principals, *jobs, *indexes});
    define_sweep(services);
    define_branch_jobs(services);
    define_copy_jobs(services);
    define_deletion_jobs(services);
    define_history_jobs(services);
    define_difference_jobs(services);
    define_index_job(services);
    define_maintenance_jobs(services);
    define_index_builds(services);
    add_upkeep(services, *upkeep);
    static NodeAttachmentReader attachments;
    registrar.publish<sdk::AttachmentReader>(attachments);
    static std::vector<std::unique_ptr<BranchPaths>> paths;
    registrar.publish<sdk::NodePaths>(*paths.emplace_back(std::make_unique<BranchPaths>(services)));
    static std::vector<std::unique_ptr<ContentLog>> logs;
    ContentLog& log = *logs.emplace_back(std::make_unique<ContentLog>(services));
    registrar.publish<sdk::ContentLog>(log);
    static std::vector<std::unique_ptr<ContentSizes>> sizes;
    registrar.publish<sdk::ContentSizes>(
        *sizes.emplace_back(std::make_unique<ContentSizes>(services, log)));
    registrar.on_check([&services, &log](std::vector<std::string>& differences) {
        check_attachments(services, log, differences);
    });
    follow_platforms(registrar, services);
    registrar.add(std::make_unique<Repository>(services));
    registrar.add(std::make_unique<Branch>(services));
    registrar.add(std::make_unique<NodeFamily>(services));
    registrar.add(std::make_unique<DeletionFamily>(services));
    return {};
}

}  // namespace stele::nodes

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "nodes", .version = "0.1.0", .requirements = "identity"}, &stele::nodes::open);
