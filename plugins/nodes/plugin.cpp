#include <memory>

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
    auto needed = registrar.require<sdk::RowQuery, sdk::RecordLists, sdk::PrincipalDirectory,
                                    sdk::Jobs, sdk::CollectionIndexes, sdk::Upkeep>();
    if (!needed) return needed.error();
    auto& [rows, lists, principals, jobs, indexes, upkeep] = *needed;
    Services& services = registrar.own(
        std::unique_ptr<Services>(new Services{registrar, rows, lists, principals, jobs, indexes}));
    define_sweep(services);
    define_branch_jobs(services);
    define_copy_jobs(services);
    define_deletion_jobs(services);
    define_history_jobs(services);
    define_difference_jobs(services);
    define_index_job(services);
    define_maintenance_jobs(services);
    define_index_builds(services);
    add_upkeep(services, upkeep);
    registrar.publish<sdk::AttachmentReader>(
        registrar.own(std::make_unique<NodeAttachmentReader>()));
    registrar.publish<sdk::NodePaths>(registrar.own(std::make_unique<BranchPaths>(services)));
    ContentLog& log = registrar.own(std::make_unique<ContentLog>(services));
    registrar.publish<sdk::ContentLog>(log);
    registrar.publish<sdk::ContentSizes>(registrar.own(std::make_unique<ContentSizes>(services)));
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
