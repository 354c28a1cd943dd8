#include "upkeep_jobs.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>

#include "collections.hpp"
#include "stack_stores.hpp"

namespace stele::platform {

namespace {

constexpr char kIndexJob[] = "index-platform";
constexpr char kRepairJob[] = "repair-platform";
constexpr char kProjectJob[] = "maintain-project";
constexpr char kProjectId[] = "projectId";
constexpr char kMissing[] = "authority.permission_missing";
constexpr char kAllOfPlatform[] =
    "every permission on the platform and on all that is inside it is "
    "needed for this";
constexpr char kAllOfStores[] =
    "every permission on the project's data stores and on all that is "
    "inside them is needed for this";
constexpr std::int64_t kStoresAtOnce = 500;
/// Stores that a job's result names because their upkeep failed.
constexpr std::size_t kMaxFailures = 100;

/// What passes, or ends the job anyway, is the job's failure and not that of one store.
bool ends_job(const sdk::Error& error) {
    using enum sdk::ErrorKind;
    return error.kind == unavailable || error.kind == timed_out || error.kind == limited ||
           error.kind == storage_full || error.code == "job.lost";
}

/// What the starter needed is needed when the job runs, too.
sdk::Result<void> require_everything(sdk::Context& context, const sdk::RecordKey& principal,
                                     const sdk::RecordKey& record, const char* message) {
    auto covers = context.authorities().covers_inside(principal, record, sdk::PermissionSet::all());
    if (!covers) return covers.error();
    if (*covers) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, kMissing, message);
}

}  // namespace

struct UpkeepJobs::Store {
    std::string type;
    std::string id;
    sdk::RecordKey key;
};

UpkeepJobs::UpkeepJobs(sdk::Jobs& jobs, sdk::Registrar& registrar, sdk::Upkeep& upkeep)
    : jobs_(jobs), registrar_(registrar), upkeep_(upkeep) {
    using enum sdk::UpkeepKind;
    const auto define = [&](const char* type, std::vector<sdk::UpkeepKind> kinds) {
        jobs.define({.name = type, .run = [this, kinds = std::move(kinds)](sdk::Job& job) {
                         return run(job, kinds);
                     }});
    };
    define(kIndexJob, {index});
    define(kRepairJob, {repair});
    define(kProjectJob, {repair, index});
}

sdk::Result<UpkeepJobs::Stores> UpkeepJobs::stores_of_platform(sdk::Context& context) const {
    Stores stores;
    for (const std::string& type : upkeep_.store_types()) {
        sdk::PageRequest page;
        page.limit = kStoresAtOnce;
        for (bool is_whole = false; !is_whole;) {
            auto found = context.documents().query({type, ""}, sdk::Json::object(), page);
            if (!found) return found.error();
            for (const sdk::Document& store : found->rows)
                stores.push_back({type, store.id, store.key});
            page.skip += found->rows.size();
            is_whole = found->rows.empty() || page.skip >= found->total_rows;
        }
    }
    return stores;
}

sdk::Result<UpkeepJobs::Stores> UpkeepJobs::stores_of_project(sdk::Context& context,
                                                              const std::string& project) const {
    sdk::Documents& documents = context.documents();
    auto record = documents.read(kProjects, project);
    if (!record) return record.error();
    auto stack = documents.read(kStacks, sdk::text_member(record->fields, "stackId"));
    if (!stack) return stack.error();
    auto listed = StackStores(context).list(stack->key);
    if (!listed) return listed.error();
    Stores stores;
    for (const StackStore& each : *listed) {
        auto store = documents.read(each.store);
        if (!store) return store.error();
        stores.push_back(
            {sdk::text_member(store->fields, "datastoreTypeId"), store->id, store->key});
    }
    return stores;
}

sdk::Result<UpkeepJobs::Stores> UpkeepJobs::stores_of_job(const sdk::Job& job) const {
    Stores stores;
    const auto find = [&](sdk::Context& context) -> sdk::Result<void> {
        const std::string project = sdk::text_member(job.input(), kProjectId);
        const sdk::RecordKey& starter = job.run_as().key;
        auto found =
            project.empty() ? stores_of_platform(context) : stores_of_project(context, project);
        if (!found) return found.error();
        stores = *std::move(found);
        if (project.empty()) {
            return require_everything(context, starter, context.platform().root, kAllOfPlatform);
        }
        for (const Store& store : stores) {
            auto may = require_everything(context, starter, store.key, kAllOfStores);
            if (!may) return may;
        }
        return {};
    };
    if (auto done = registrar_.run_as_system(job.platform(), find); !done) return done.error();
    return stores;
}

sdk::Result<sdk::Json> UpkeepJobs::run(sdk::Job& job,
                                       const std::vector<sdk::UpkeepKind>& kinds) const {
    auto stores = stores_of_job(job);
    if (!stores) return stores.error();
    sdk::Json result = {{"datastores", stores->size()}};
    sdk::Json failures = sdk::Json::array();
    for (const Store& store : *stores) {
        for (const sdk::UpkeepKind kind : kinds) {
            if (job.must_stop())
                return sdk::make_error(sdk::ErrorKind::unavailable, "platform.upkeep_stopped",
                                       "the server stops");
            auto counts = upkeep_.run(job, kind, store.type, store.key);
            if (counts) {
                sdk::add_counts(result, *counts);
                continue;
            }
            if (ends_job(counts.error())) return counts;
            if (failures.size() == kMaxFailures) continue;
            failures.push_back({{"datastoreTypeId", store.type},
                                {"datastoreId", store.id},
                                {"code", counts.error().code},
                                {"message", counts.error().message}});
        }
    }
    result["failures"] = std::move(failures);
    return result;
}

sdk::Result<sdk::Reply> UpkeepJobs::start_on_platform(const sdk::Call& call,
                                                      const char* type) const {
    sdk::Context& context = call.context();
    auto may = sdk::require_inside(context, context.platform().root, sdk::PermissionSet::all(),
                                   kMissing, kAllOfPlatform);
    if (!may) return may.error();
    auto job = jobs_.start(context, {.type = type});
    if (!job) return job.error();
    return sdk::reply_of_started(jobs_, call, *job);
}

sdk::Result<sdk::Reply> UpkeepJobs::index_platform(const sdk::Call& call) const {
    return start_on_platform(call, kIndexJob);
}

sdk::Result<sdk::Reply> UpkeepJobs::repair_platform(const sdk::Call& call) const {
    return start_on_platform(call, kRepairJob);
}

sdk::Result<sdk::Reply> UpkeepJobs::maintain_project(const sdk::Call& call) const {
    sdk::Context& context = call.context();
    const std::string& project = call.record().id;
    auto stores = stores_of_project(context, project);
    if (!stores) return stores.error();
    for (const Store& store : *stores) {
        auto may = sdk::require_inside(context, store.key, sdk::PermissionSet::all(), kMissing,
                                       kAllOfStores);
        if (!may) return may.error();
    }
    auto job = jobs_.start(
        context, {.type = kProjectJob, .input = sdk::Json::object({{kProjectId, project}})});
    if (!job) return job.error();
    return sdk::reply_of_started(jobs_, call, *job);
}

}  // namespace stele::platform
