#include <stele/sdk/plugin.hpp>

#include <memory>

#include "application.hpp"
#include "endpoints.hpp"
#include "install.hpp"
#include "job_operations.hpp"
#include "log_operations.hpp"
#include "open_collections.hpp"
#include "page_rendition.hpp"
#include "project.hpp"
#include "reference_operations.hpp"
#include "registration.hpp"
#include "report.hpp"
#include "stack.hpp"
#include "upkeep_jobs.hpp"

namespace stele::platform {

namespace {

/// What the families share.
struct Work {
    Work(sdk::Registrar& registrar, sdk::PrincipalDirectory& principals,
         sdk::InnerRights& inner_rights, sdk::FamilyOperations& families,
         sdk::InnerOperations& operations, sdk::Jobs& running, sdk::RowQuery& rows,
         sdk::Upkeep& kept)
        : references(principals, inner_rights, families),
          jobs(running, rows),
          logs(registrar, rows),
          project_jobs(running, operations),
          rendition_jobs(running, registrar),
          upkeep(running, registrar, kept) {}

    ReferenceOperations references;
    JobOperations jobs;
    LogOperations logs;
    ProjectJobs project_jobs;
    PageRenditionJobs rendition_jobs;
    UpkeepJobs upkeep;
};

}  // namespace

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto services = registrar.require<sdk::PrincipalDirectory, sdk::Jobs, sdk::RowQuery,
                                      sdk::Invitations, sdk::Teams, sdk::InnerRights,
                                      sdk::FamilyOperations, sdk::InnerOperations, sdk::Upkeep>();
    if (!services) return services.error();
    auto& [principals, jobs, rows, invitations, teams, inner_rights, families, operations, upkeep] =
        *services;
    Work& work = registrar.own(std::make_unique<Work>(registrar, principals, inner_rights, families,
                                                      operations, jobs, rows, upkeep));
    registrar.add(std::make_unique<Application>(rows));
    registrar.add(std::make_unique<Stack>(rows, work.logs));
    registrar.add(std::make_unique<Project>(
        ProjectServices{teams, principals, invitations, registrar, work.upkeep}));
    add_open_collections(registrar);
    registrar.add(std::make_unique<Report>(families));
    registrar.add(std::make_unique<Registration>(registrar));
    registrar.add(std::make_unique<PageRendition>(work.rendition_jobs));
    registrar.on_install([&registrar](sdk::Context& context, const sdk::Json&) {
        return install_applications(registrar, context);
    });
    add_endpoints(registrar,
                  {work.references, work.jobs, work.logs, work.project_jobs, work.upkeep, rows});
    return {};
}

}  // namespace stele::platform

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "platform", .version = "0.1.0", .requirements = "identity"}, &stele::platform::open);
