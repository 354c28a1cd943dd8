#include <stele/sdk/plugin.hpp>

#include <memory>
#include <vector>

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

template <class Service>
sdk::Result<Service*> require(sdk::Registrar& registrar, const char* code, const char* message) {
    if (auto* service = registrar.find<Service>()) return service;
    return sdk::make_error(sdk::ErrorKind::unavailable, code, message);
}

/// Lives until the process ends, as the registrar wants it.
struct Work {
    Work(sdk::Registrar& registrar, sdk::PrincipalDirectory& principals,
         sdk::InnerRights& inner_rights, sdk::FamilyOperations& families, sdk::Jobs& running,
         sdk::RowQuery& rows, sdk::Teams& teams, sdk::Upkeep& kept)
        : references(principals, inner_rights, families),
          jobs(running, rows),
          logs(registrar, rows),
          project_jobs(running, registrar, teams),
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
    auto principals = require<sdk::PrincipalDirectory>(registrar, "platform.principals_missing",
                                                       "no enabled plugin knows principals");
    auto jobs = require<sdk::Jobs>(registrar, "platform.jobs_missing", "nothing runs jobs");
    auto rows = require<sdk::RowQuery>(registrar, "platform.rows_missing", "nothing queries rows");
    auto invitations = require<sdk::Invitations>(registrar, "platform.invitations_missing",
                                                 "no enabled plugin invites users");
    auto teams = require<sdk::Teams>(registrar, "platform.teams_missing", "nothing keeps teams");
    auto inner_rights = require<sdk::InnerRights>(registrar, "platform.inner_rights_missing",
                                                  "nothing knows rights on what is no record");
    auto families = require<sdk::FamilyOperations>(registrar, "platform.operations_missing",
                                                   "nothing runs operations of families");
    auto upkeep = require<sdk::Upkeep>(registrar, "platform.upkeep_missing",
                                       "nothing knows the upkeep of data stores");
    if (!upkeep) return upkeep.error();
    if (!inner_rights) return inner_rights.error();
    if (!families) return families.error();
    if (!principals) return principals.error();
    if (!jobs) return jobs.error();
    if (!rows) return rows.error();
    if (!teams) return teams.error();
    if (!invitations) return invitations.error();
    static std::vector<std::unique_ptr<Work>> kept;
    Work& work = *kept.emplace_back(std::make_unique<Work>(
        registrar, **principals, **inner_rights, **families, **jobs, **rows, **teams, **upkeep));
    registrar.add(std::make_unique<Application>(**rows));
    registrar.add(std::make_unique<Stack>(**rows, work.logs));
    registrar.add(std::make_unique<Project>(
        ProjectServices{**teams, **principals, **invitations, registrar, work.upkeep}));
    add_open_collections(registrar);
    registrar.add(std::make_unique<Report>(**families));
    registrar.add(std::make_unique<Registration>(registrar));
    registrar.add(std::make_unique<PageRendition>(work.rendition_jobs));
    registrar.on_install([&registrar](sdk::Context& context, const sdk::Json&) {
        return install_applications(registrar, context);
    });
    add_endpoints(registrar,
                  {work.references, work.jobs, work.logs, work.project_jobs, work.upkeep, **rows});
    return {};
}

}  // namespace stele::platform

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "platform", .version = "0.1.0", .requirements = "identity"}, &stele::platform::open);
