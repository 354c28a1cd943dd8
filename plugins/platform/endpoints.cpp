#include "endpoints.hpp"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/registrar.hpp>

#include "application_mappings.hpp"
#include "job_operations.hpp"
#include "log_operations.hpp"
#include "platform_record.hpp"
#include "project.hpp"
#include "reference_operations.hpp"
#include "upkeep_jobs.hpp"

namespace stele::platform {

namespace {

using sdk::shape::array;
using sdk::shape::boolean;
using sdk::shape::object;
using sdk::shape::optional;
using sdk::shape::text;

constexpr char kPlatform[] = "platform";

/// What a body asks of each reference, or a reply tells of it: `entries`.
sdk::Shape entries(const std::vector<sdk::ShapeMember>& entry) {
    return object({{"entries", array(object(entry))}});
}

/// What projects or applications can be.
sdk::Shape page_of_kinds(std::initializer_list<const char*> names) {
    // With full=false the ids alone.
    std::vector<sdk::ShapeMember> kind{{"_doc", text()}};
    for (const char* name : names)
        kind.push_back(optional(name, text()));
    return sdk::shape::page(object(kind));
}

void add_record_endpoints(sdk::Registrar& registrar) {
    registrar.add(sdk::Endpoint{.method = "GET",
                                .path = "/",
                                .title = "read the platform",
                                .run = &read_platform,
                                .answers = sdk::shape::record(kPlatform)});
    for (const bool is_put : {true, false}) {
        registrar.add(sdk::Endpoint{.method = is_put ? "PUT" : "POST",
                                    .path = is_put ? "/" : "/update",
                                    .title = "update the platform",
                                    .permission = sdk::Permission::update,
                                    .run = &update_platform,
                                    .body = sdk::BodyUse::record,
                                    .takes = sdk::shape::record("platformBody"),
                                    .answers = sdk::shape::written(kPlatform)});
    }
    registrar.add(sdk::Endpoint{
        .method = "GET",
        .path = "/info",
        .title = "count the platform's stores",
        .run = &read_info,
        .answers = object({{"datastore_counts", sdk::shape::map(sdk::shape::integer())}})});
    for (const char* method : {"POST", "GET"}) {
        registrar.add(sdk::Endpoint{.method = method,
                                    .path = "/tools/types/contained/{typeId}",
                                    .title = "list the types that a type contains",
                                    .run = &list_contained_types,
                                    .answers = object({{"types", array(text())}})});
    }
}

using Run = std::function<sdk::Result<sdk::Reply>(const sdk::Call&)>;

void add_reference_endpoints(sdk::Registrar& registrar, const ReferenceOperations& references) {
    const auto add = [&](std::string path, std::string title, Run run, sdk::Shape takes,
                         sdk::Shape answers) {
        registrar.add(sdk::Endpoint{.method = "POST",
                                    .path = std::move(path),
                                    .title = std::move(title),
                                    .run = std::move(run),
                                    .slow = true,
                                    .takes = std::move(takes),
                                    .answers = std::move(answers)});
    };
    const sdk::ShapeMember record{"permissioned", text()};
    const sdk::ShapeMember principal{"principalId", text()};
    // An entry of the reply is the one that was sent, and what it asks for.
    const sdk::Shape operations = array(object({{"op", text()}, {"path", text()}}));
    add(
        "/ref/read", "read records by reference",
        [&references](const sdk::Call& call) { return references.read(call); },
        entries({{"ref", text()}}), entries({{"entry", sdk::shape::null_or(object())}}));
    registrar.add(sdk::Endpoint{
        .method = "GET",
        .path = "/ref/diff",
        .title = "compare two records by reference",
        .run = [&references](const sdk::Call& call) { return references.difference(call); },
        .parameters = {{"source", true}, {"target", true}},
        .slow = true,
        .answers = object({{"diff", operations}})});
    // Values of a patch are parts of records.
    registrar.add(sdk::Endpoint{
        .method = "POST",
        .path = "/ref/merge",
        .title = "apply a patch to a record by reference",
        .run = [&references](const sdk::Call& call) { return references.merge(call); },
        .parameters = {{"source", true}},
        .slow = true,
        .body = sdk::BodyUse::record,
        .bounds = {{.member = "", .holds_records = true}},
        .takes = sdk::shape::either({operations, object()}),
        .answers = object({{"_doc", text()}, optional("_system", sdk::shape::record("System"))})});
    add(
        "/access/lookup", "look up principals' rights on referenced records",
        [&references](const sdk::Call& call) { return references.look_up(call); },
        entries({record, principal}),
        entries({{"authorities", array(text())}, {"permissions", array(text())}}));
    add(
        "/access/check", "check principals' rights on referenced records",
        [&references](const sdk::Call& call) { return references.check(call); },
        entries(
            {record, principal, optional("permissionId", text()), optional("authorityId", text())}),
        entries({optional("hasPermission", boolean()), optional("hasAuthority", boolean())}));
}

void add_job_queries(sdk::Registrar& registrar, const JobOperations& jobs) {
    using enum sdk::JobState;
    const std::vector<std::pair<std::string, std::vector<sdk::JobState>>> kinds{
        {"", {}},
        {"/unstarted", {none}},
        {"/waiting", {waiting, awaiting}},
        {"/running", {running, paused}},
        {"/failed", {error}},
        {"/finished", {finished}},
    };
    const sdk::Shape page = sdk::shape::page(sdk::shape::job());
    for (const auto& [kind, states] : kinds) {
        const Run run = [&jobs, states = states](const sdk::Call& call) {
            return jobs.query(call, states);
        };
        registrar.add(sdk::Endpoint{.method = "GET",
                                    .path = "/jobs" + kind,
                                    .title = "list jobs",
                                    .run = run,
                                    .paged = true,
                                    .slow = true,
                                    .answers = page});
        registrar.add(sdk::Endpoint{.method = "POST",
                                    .path = "/jobs" + kind + "/query",
                                    .title = "query jobs",
                                    .run = run,
                                    .paged = true,
                                    .slow = true,
                                    .answers = page});
    }
}

void add_job_endpoints(sdk::Registrar& registrar, const JobOperations& jobs) {
    add_job_queries(registrar, jobs);
    for (const char* path : {"/jobs/{jobId}", "/jobs/{jobId}/poll"}) {
        registrar.add(
            sdk::Endpoint{.method = "GET",
                          .path = path,
                          .title = "read a job",
                          .run = [&jobs](const sdk::Call& call) { return jobs.read(call); },
                          .answers = sdk::shape::record("WholeJob")});
    }
    registrar.add(
        sdk::Endpoint{.method = "GET",
                      .path = "/jobs/{jobId}/attachments",
                      .title = "list a job's attachments",
                      .run = [&jobs](const sdk::Call& call) { return jobs.list_attachments(call); },
                      .paged = true,
                      .answers = sdk::shape::page(sdk::shape::record("Attachment"))});
    registrar.add(
        sdk::Endpoint{.method = "GET",
                      .path = "/jobs/{jobId}/attachments/{attachmentId}",
                      .title = "download a job's attachment",
                      .run = [&jobs](const sdk::Call& call) { return jobs.read_attachment(call); },
                      .answers = sdk::shape::bytes()});
    registrar.add(sdk::Endpoint{.method = "POST",
                                .path = "/jobs/{jobId}/kill",
                                .title = "end a job",
                                .run = [&jobs](const sdk::Call& call) { return jobs.kill(call); },
                                .answers = sdk::shape::changed()});
}

void add_log_endpoints(sdk::Registrar& registrar, const LogOperations& logs) {
    const auto add = [&](const char* method, const char* path, const char* title, auto operation,
                         bool is_paged, sdk::Shape answers,
                         std::vector<sdk::Parameter> parameters = {}) {
        registrar.add(sdk::Endpoint{
            .method = method,
            .path = path,
            .title = title,
            .run = [&logs, operation](const sdk::Call& call) { return (logs.*operation)(call); },
            .parameters = std::move(parameters),
            .paged = is_paged,
            .slow = is_paged,
            .answers = std::move(answers)});
    };
    const sdk::Shape page = sdk::shape::page(LogOperations::row());
    add("GET", "/logs", "list log entries", &LogOperations::query, true, page);
    add("POST", "/logs/query", "query log entries", &LogOperations::query, true, page);
    add("POST", "/logs", "write a log entry", &LogOperations::create, false, sdk::shape::changed(),
        {{"message"}, {"level", false, sdk::FieldKind::text, LogOperations::levels()}});
    add("GET", "/logs/logfile", "read the log as text", &LogOperations::read_file, false,
        sdk::shape::bytes(LogOperations::kFileType));
    add("GET", "/logs/{logId}", "read a log entry", &LogOperations::read, false,
        LogOperations::entry());
}

void add_project_endpoints(sdk::Registrar& registrar, const ProjectJobs& projects) {
    registrar.add(sdk::Endpoint{
        .method = "POST",
        .path = "/projects/start",
        .title = "create a project in a job",
        .permission = sdk::Permission::create_subobjects,
        .run = [&projects](const sdk::Call& call) { return projects.start(call); },
        .parameters = {schedule_parameter()},
        .takes = object({optional("title", text()), optional("description", text()),
                         optional("stackId", text()), optional("projectType", text())}),
        .answers = sdk::shape::job()});
    registrar.add(sdk::Endpoint{
        .method = "GET",
        .path = "/projecttypes",
        .title = "list what projects can be made from",
        .run = [&registrar](const sdk::Call& call) { return list_project_types(registrar, call); },
        .paged = true,
        .answers =
            page_of_kinds({"identifier", "reference", "title", "description", "templateKey"})});
}

void add_upkeep_endpoints(sdk::Registrar& registrar, const UpkeepJobs& upkeep) {
    const auto add = [&](const char* path, const char* title, auto operation) {
        registrar.add(sdk::Endpoint{
            .method = "POST",
            .path = path,
            .title = title,
            .run = [&upkeep,
                    operation](const sdk::Call& call) { return (upkeep.*operation)(call); },
            .parameters = {schedule_parameter()},
            .slow = true,
            .answers = sdk::shape::job()});
    };
    add("/admin/index", "build the search indexes anew", &UpkeepJobs::index_platform);
    add("/admin/repair", "mend what does not fit in data stores", &UpkeepJobs::repair_platform);
}

}  // namespace

void add_endpoints(sdk::Registrar& registrar, const EndpointWork& work) {
    add_record_endpoints(registrar);
    add_reference_endpoints(registrar, work.references);
    add_job_endpoints(registrar, work.jobs);
    add_log_endpoints(registrar, work.logs);
    add_project_endpoints(registrar, work.project_jobs);
    add_upkeep_endpoints(registrar, work.upkeep);
    registrar.add(sdk::Endpoint{
        .method = "GET",
        .path = "/applicationtypes",
        .title = "list what applications can be",
        .run = [&rows = work.rows](
                   const sdk::Call& call) { return list_application_types(call, rows); },
        .paged = true,
        .answers = page_of_kinds({"identifier", "reference", "title", "description"})});
}

}  // namespace stele::platform
