#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/services/node_search.hpp>

#include "branch/branch_rights.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "graph/branch_check.hpp"
#include "job/jobs.hpp"
#include "job/maintenance.hpp"
#include "job/node_jobs.hpp"
#include "operation/branch/branch_jobs.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kValidationJob[] = "validate-branch";
constexpr char kSearchIndexJob[] = "rebuild-search-index";
/// Nodes and associations that one transaction checks, and faults that a job's result names.
constexpr std::size_t kCheckedAtOnce = 500;
constexpr std::size_t kMaxNamed = 1000;

/// What a job has found so far.
struct Validation {
    std::string last;
    std::size_t nodes = 0;         ///< that the principal may READ
    std::size_t associations = 0;  ///< the same
    std::size_t faults = 0;
    std::size_t repaired = 0;
    sdk::Json named = sdk::Json::array();
    bool is_done = false;

    sdk::Json json() const {
        sdk::Json result = {{"nodes", nodes},
                            {"associations", associations},
                            {"faults", faults},
                            {"repaired", repaired},
                            {"rows", named}};
        if (named.size() < faults) {
            result["truncated"] = true;
            result["bound"] = "named_faults";
        }
        return result;
    }
};

/// Records that the principal may not READ are not counted, and their faults are counted only.
sdk::Result<void> note(const BranchContent& content, const sdk::Document& record,
                       const std::vector<ContentFault>& faults, Validation& validation) {
    auto may = content.may(record.key, sdk::Permission::read);
    if (!may) return may.error();
    if (*may) ++(is_association(record.fields) ? validation.associations : validation.nodes);
    for (const ContentFault& fault : faults) {
        ++validation.faults;
        if (fault.is_repaired) ++validation.repaired;
        if (!*may || validation.named.size() >= kMaxNamed) continue;
        validation.named.push_back({{"_doc", fault.node},
                                    {"code", fault.code},
                                    {"message", fault.message},
                                    {"repaired", fault.is_repaired}});
    }
    return {};
}

sdk::Result<void> validate_step(const BranchContent& content, CheckPlan plan,
                                Validation& validation) {
    if (plan.has_schemas) {
        auto validates = is_validated(content);
        if (!validates) return validates.error();
        plan.has_schemas = *validates;
    }
    auto ids = ids_after(content, kNodeSlot, validation.last, kCheckedAtOnce);
    if (!ids) return ids.error();
    validation.is_done = ids->size() < kCheckedAtOnce;
    for (const std::string& id : *ids) {
        validation.last = id;
        auto record = content.node(id);
        // Taken away with another one.
        if (!record && sdk::is_missing(record.error())) continue;
        if (!record) return record.error();
        auto faults = check_record(content, plan, *record);
        if (!faults) return faults.error();
        if (auto noted = note(content, *record, *faults, validation); !noted) return noted;
    }
    return {};
}

/// While the job runs, too: rights go, and branches are frozen.
sdk::Result<void> may_maintain(const BranchContent& content, const CheckPlan& plan) {
    auto may = content.require_on_branch(sdk::Permission::update);
    if (!may || !plan.repairs) return may;
    // Of whatever node the fault is, and whoever's: the caller names none.
    may = require_in_branch(content, {sdk::Permission::update, sdk::Permission::remove});
    return may ? check_branch_writable(content) : may;
}

}  // namespace

sdk::Result<sdk::Json> validate_branch(Services& services, sdk::Job& job, const sdk::Json& address,
                                       const CheckPlan& plan, std::uint64_t done_before) {
    Validation validation;
    while (!validation.is_done) {
        if (job.must_stop()) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.branch_validation_stopped",
                                   "the server stops");
        }
        Validation next;
        auto done = services.registrar.run_as_system(
            job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                if (auto held = job.confirm(context.transaction()); !held) return held;
                Changes::of(context, services.branches).act_for(job.run_as());
                auto content = open_address(services, context, address);
                if (!content) return content.error();
                if (auto may = may_maintain(*content, plan); !may) return may;
                next = validation;
                return validate_step(*content, plan, next);
            });
        if (!done) return done.error();
        validation = std::move(next);
        auto shown =
            job.progress({.done = done_before + validation.nodes + validation.associations});
        if (!shown) return shown.error();
    }
    return validation.json();
}

namespace {

sdk::Result<sdk::Json> run_validation(Services& services, sdk::Job& job) {
    return validate_branch(services, job, job.input(), CheckPlan::read(job.input()), 0);
}

sdk::Result<sdk::Reply> start_plan(Services& services, const sdk::Call& call,
                                   const CheckPlan& plan) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto may = may_maintain(*content, plan); !may) return may.error();
    auto input = address_of(*content);
    if (!input) return input.error();
    input->update(plan.json());
    return job_reply(services, call, kValidationJob, std::move(*input));
}

sdk::Result<sdk::Reply> start_validation(Services& services, const sdk::Call& call) {
    auto repairs = is_asked(call, "repair", false);
    if (!repairs) return repairs.error();
    return start_plan(services, call, {.repairs = *repairs});
}

sdk::Result<sdk::Reply> rebuild_paths(Services& services, const sdk::Call& call) {
    return start_plan(services, call,
                      {.has_associations = false, .has_schemas = false, .repairs = true});
}

sdk::Result<sdk::Reply> maintain_content(Services& services, const sdk::Call& call) {
    return start_plan(services, call, {.repairs = true});
}

}  // namespace

sdk::Result<sdk::Json> rebuild_search_of(Services& services, sdk::Job& job,
                                         const sdk::Json& address) {
    auto* search = services.registrar.find<sdk::NodeSearch>();
    if (search == nullptr) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.search_missing",
                               "no plugin that searches nodes is enabled");
    }
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            Changes::of(context, services.branches).act_for(job.run_as());
            auto content = open_address(services, context, address);
            if (!content) return content.error();
            if (auto may = content->require_on_branch(sdk::Permission::update); !may) return may;
            return search->rebuild(context, content->branch(), [&job] { return job.must_stop(); });
        });
    if (!done) return done.error();
    return sdk::Json{{"searched", true}};
}

namespace {

sdk::Result<sdk::Reply> rebuild_search(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto input = address_of(*content);
    if (!input) return input.error();
    return job_reply(services, call, kSearchIndexJob, std::move(*input));
}

/// Definitions that this version brings along and the branch, made by an older one, lacks.
sdk::Result<sdk::Reply> upgrade_schema(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto may = content->require_create(); !may) return may.error();
    auto server = BranchContent::open(services, call.context().as_system(), content->branch());
    if (!server) return server.error();
    if (auto writable = check_branch_writable(*content); !writable) return writable.error();
    sdk::Json added = sdk::Json::array();
    for (const sdk::Json& definition : built_in_definitions()) {
        const std::string qname = sdk::text_member(definition, member::kQName);
        auto known = content->node(qname);
        if (known) continue;
        if (!sdk::is_missing(known.error())) return known.error();
        auto made = server->create(definition);
        if (!made) return made.error();
        added.push_back(qname);
    }
    return sdk::Reply::status({{"definitions", std::move(added)}});
}

}  // namespace

void define_maintenance_jobs(Services& services) {
    services.jobs.define({.name = kValidationJob, .run = [&services](sdk::Job& job) {
                              return run_validation(services, job);
                          }});
    services.jobs.define({.name = kSearchIndexJob, .run = [&services](sdk::Job& job) {
                              return rebuild_search_of(services, job, job.input());
                          }});
}

sdk::Actions branch_maintenance_actions() {
    using sdk::Permission::update;
    const sdk::Shape job = sdk::shape::job();
    return {
        {.name = "validate/start",
         .permission = update,
         .run = operation<&start_validation>(),
         .parameters = {{"repair", false, sdk::FieldKind::boolean}},
         .slow = true,
         .answers = job},
        {.name = "admin/paths/index",
         .permission = update,
         .run = operation<&rebuild_paths>(),
         .slow = true,
         .answers = job},
        {.name = "admin/content",
         .permission = update,
         .run = operation<&maintain_content>(),
         .slow = true,
         .answers = job},
        {.name = "admin/search/index",
         .permission = update,
         .run = operation<&rebuild_search>(),
         .answers = job},
        {.name = "admin/upgradeschema",
         .permission = update,
         .run = operation<&upgrade_schema>(),
         .slow = true,
         .answers = sdk::shape::status({{"definitions", sdk::shape::array(sdk::shape::text())}})}};
}

}  // namespace stele::nodes
