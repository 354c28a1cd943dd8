#include "editorial_flow.hpp"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::editorial_flows {

namespace {

constexpr char kFlowType[] = "editorialFlow";
constexpr char kRepositoryType[] = "repository";
constexpr char kBranchType[] = "branch";
constexpr char kPullRequestType[] = "pullRequest";
constexpr char kMasterAlias[] = "master";

constexpr char kRepositoryId[] = "repositoryId";
/// The branch that the flow works on, and the one that it was begun from.
constexpr char kBranchId[] = "branchId";
constexpr char kTargetBranchId[] = "targetBranchId";
constexpr char kPullRequestId[] = "pullRequestId";
constexpr char kState[] = "state";
constexpr char kTitle[] = "title";
constexpr char kRoute[] = "route";
constexpr char kProperties[] = "properties";

constexpr char kFinish[] = "finish";
constexpr char kCancel[] = "cancel";

/// States: `active`; `merging` and `review` while the pull request is merged or waits; `finished`,
/// `cancelled`.
constexpr char kActive[] = "active";
constexpr char kMerging[] = "merging";
constexpr char kReview[] = "review";
constexpr char kFinished[] = "finished";
constexpr char kCancelled[] = "cancelled";

sdk::Error has_no_route(const std::string& state) {
    if (state == kMerging) {
        return sdk::make_error(sdk::ErrorKind::conflict, "editorial_flows.merging",
                               "the request of the flow is being merged");
    }
    return sdk::make_error(sdk::ErrorKind::conflict, "editorial_flows.ended",
                           "the flow is " + state);
}

sdk::Result<std::optional<sdk::Document>> find(sdk::Context& context,
                                               const sdk::CollectionName& collection,
                                               const std::string& id) {
    return sdk::if_readable(context, context.documents().read(collection, id));
}

/// The repository and the branch that a flow begins from, which whoever begins it may READ.
sdk::Result<sdk::Document> begun_from(const sdk::Call& call) {
    auto id = call.required_parameter(kRepositoryId);
    if (!id) return id.error();
    auto repository = find(call.context(), {kRepositoryType, ""}, *id);
    if (!repository) return repository.error();
    if (!*repository) return sdk::invalid_parameter(kRepositoryId, "names no repository");
    std::string name = call.parameter(kBranchId).value_or("");
    if (name.empty()) name = kMasterAlias;
    auto branch = find(call.context(), {kBranchType, (*repository)->id, (*repository)->key}, name);
    if (!branch) return branch.error();
    if (!*branch) return sdk::invalid_parameter(kBranchId, "names no branch of the repository");
    return std::move(**branch);
}

/// What a client says of a flow.
sdk::Result<sdk::Json> told_members(const sdk::Json& body) {
    sdk::Json told = sdk::Json::object();
    const auto take = [&](const char* name, bool (sdk::Json::*is_fit)() const noexcept,
                          const char* problem) -> sdk::Result<void> {
        const auto found = body.find(name);
        if (found == body.end() || found->is_null()) return {};
        if (!((*found).*is_fit)()) return sdk::invalid_parameter(name, problem);
        told[name] = *found;
        return {};
    };
    for (const char* name : {"operation", "flowKey"}) {
        if (auto taken = take(name, &sdk::Json::is_string, "must be a text"); !taken)
            return taken.error();
    }
    for (const char* name : {kProperties, "workflowData", "swimlanes"}) {
        if (auto taken = take(name, &sdk::Json::is_object, "must be an object"); !taken)
            return taken.error();
    }
    if (auto taken = take("nodeRefs", &sdk::Json::is_array, "must be an array"); !taken)
        return taken.error();
    const sdk::Json properties = told.value(kProperties, sdk::Json::object());
    told[kTitle] = sdk::text_member(properties, kTitle);
    return told;
}

sdk::Json routes_of(const std::string& state) {
    sdk::Json routes = sdk::Json::object();
    if (state == kActive || state == kReview) {
        routes[kFinish] = {{kTitle, "Finish"}};
        routes[kCancel] = {{kTitle, "Cancel"}};
    }
    return routes;
}

sdk::Shape task_shape() {
    using sdk::shape::object;
    using sdk::shape::optional;
    using sdk::shape::text;
    return object({{"workflowId", text()},
                   {kTitle, text()},
                   {kState, text({kActive, kMerging, kReview, kFinished, kCancelled})},
                   {kRepositoryId, text()},
                   {kBranchId, text()},
                   {kTargetBranchId, text()},
                   optional(kPullRequestId, text()),
                   {"routes", object()}});
}

}  // namespace

sdk::ResourceDescriptor EditorialFlow::describe() const {
    using enum sdk::FieldKind;
    const sdk::Shape started = sdk::shape::status({{"workflowId", sdk::shape::text()},
                                                   {kBranchId, sdk::shape::text()},
                                                   {"workspaceId", sdk::shape::text()}});
    return {.type = kFlowType,
            .path = "editorial/flows",
            .placeholder = "flowId",
            .fields = {{.name = kTitle, .kind = text},
                       {.name = kRepositoryId, .kind = text},
                       {.name = kBranchId, .kind = text},
                       {.name = kTargetBranchId, .kind = text},
                       {.name = kPullRequestId, .kind = text},
                       {.name = kState, .kind = text},
                       {.name = "operation", .kind = text},
                       {.name = "flowKey", .kind = text},
                       {.name = kProperties, .kind = object, .unindexed = true},
                       {.name = "workflowData", .kind = object, .unindexed = true},
                       {.name = "swimlanes", .kind = object, .unindexed = true},
                       {.name = "nodeRefs", .kind = array, .unindexed = true}},
            .capabilities = {.attachments = false},
            .operations = {.create = false, .update = false, .transfer = false},
            .actions = {{.name = "start",
                         .scope = sdk::ActionScope::collection,
                         .permission = sdk::Permission::connect,
                         .run = sdk::action<&EditorialFlow::start>(),
                         .parameters = {{kRepositoryId, true}, {kBranchId}},
                         .answers = started},
                        {.name = "task",
                         .method = "GET",
                         .run = sdk::action<&EditorialFlow::task>(),
                         .answers = task_shape()},
                        {.name = "transition",
                         .permission = sdk::Permission::update,
                         .run = sdk::action<&EditorialFlow::transition>(),
                         .parameters = {{kRoute, true, text, {kFinish, kCancel}}},
                         .answers = task_shape()}},
            .is_presented = true,
            .title = "editorial flows"};
}

sdk::Result<std::string> EditorialFlow::state_of(sdk::Context& context,
                                                 const sdk::Json& flow) const {
    std::string state = sdk::text_member(flow, kState);
    const std::string id = sdk::text_member(flow, kPullRequestId);
    if (state == kCancelled || id.empty()) return state;
    auto request =
        context.documents().read({kPullRequestType, sdk::text_member(flow, kRepositoryId)}, id);
    // Whoever has deleted the request leaves the flow where it was before.
    if (!request && sdk::is_missing(request.error())) return state;
    if (!request) return request.error();
    // Somebody has made it a request of other branches.
    const bool is_own =
        sdk::text_member(request->fields, "sourceBranchId") == sdk::text_member(flow, kBranchId) &&
        sdk::text_member(request->fields, kTargetBranchId) ==
            sdk::text_member(flow, kTargetBranchId);
    if (!is_own) return state;
    const std::string of_request = sdk::text_member(request->fields, "state");
    if (of_request == "MERGED") return std::string(kFinished);
    if (of_request == "MERGING") {
        auto goes_on = is_being_merged(context, request->fields);
        if (!goes_on) return goes_on.error();
        return std::string(*goes_on ? kMerging : kReview);
    }
    return std::string(of_request == "OPEN" ? kReview : kActive);
}

sdk::Result<bool> EditorialFlow::is_being_merged(sdk::Context& context,
                                                 const sdk::Json& request) const {
    auto job = jobs_.read(context, sdk::text_member(request, "mergeJobId"));
    if (!job && sdk::is_missing(job.error())) return false;
    if (!job) return job.error();
    const std::string state = sdk::text_member(*job, "state");
    return state != sdk::job_state_name(sdk::JobState::finished) &&
           state != sdk::job_state_name(sdk::JobState::error);
}

sdk::Result<void> EditorialFlow::present(const sdk::Call& call, sdk::Json& record) {
    auto state = state_of(call.context(), record);
    if (!state) return state.error();
    record[kState] = *state;
    return {};
}

sdk::Result<std::string> EditorialFlow::make_branch(sdk::Context& context,
                                                    const sdk::Document& from,
                                                    const std::string& title) const {
    auto repository = context.documents().read({kRepositoryType, ""},
                                               sdk::text_member(from.fields, kRepositoryId));
    if (!repository) return repository.error();
    auto made = operations_.on_collection(
        context, kBranchType, repository->key,
        {.method = "POST", .parameters = {{"branch", from.id}}, .body = {{kTitle, title}}});
    if (!made) return made.error();
    return sdk::text_member(sdk::Json::parse(made->body()), "_doc");
}

sdk::Result<sdk::Reply> EditorialFlow::start(const sdk::Call& call) {
    sdk::Context& context = call.context();
    auto from = begun_from(call);
    if (!from) return from.error();
    auto flow = told_members(call.body());
    if (!flow) return flow.error();
    const std::string title = sdk::text_member(*flow, kTitle);
    auto branch = make_branch(context, *from, title.empty() ? "Editorial flow" : title);
    if (!branch) return branch.error();
    (*flow)[kState] = kActive;
    (*flow)[kRepositoryId] = sdk::text_member(from->fields, kRepositoryId);
    (*flow)[kBranchId] = *branch;
    (*flow)[kTargetBranchId] = from->id;
    auto made = context.documents().create(call.collection(), *std::move(flow));
    if (!made) return made.error();
    return sdk::Reply::status({{"_doc", made->id},
                               {"workflowId", made->id},
                               {kBranchId, *branch},
                               {"workspaceId", made->id}});
}

sdk::Result<sdk::Json> EditorialFlow::shown_task(sdk::Context& context,
                                                 const sdk::Document& flow) const {
    auto state = state_of(context, flow.fields);
    if (!state) return state.error();
    sdk::Json task = {{"workflowId", flow.id}, {kState, *state}, {"routes", routes_of(*state)}};
    for (const char* name : {kTitle, kRepositoryId, kBranchId, kTargetBranchId})
        task[name] = sdk::text_member(flow.fields, name);
    const std::string request = sdk::text_member(flow.fields, kPullRequestId);
    if (!request.empty()) task[kPullRequestId] = request;
    return task;
}

sdk::Result<sdk::Reply> EditorialFlow::task(const sdk::Call& call) {
    auto task = shown_task(call.context(), call.record());
    if (!task) return task.error();
    return sdk::Reply::json(*task);
}

/// Opens a pull request, which the target merges by itself where it does that; the next time asks
/// for the merge.
sdk::Result<void> EditorialFlow::finish(const sdk::Call& call, const std::string& state) const {
    sdk::Context& context = call.context();
    const sdk::Json& flow = call.record().fields;
    const std::string repository_id = sdk::text_member(flow, kRepositoryId);
    if (state == kReview) {
        auto request = context.documents().read({kPullRequestType, repository_id},
                                                sdk::text_member(flow, kPullRequestId));
        if (!request) return request.error();
        auto merging = operations_.on_record(context, request->key,
                                             {.method = "POST", .path = "/merge/start"});
        return merging ? sdk::Result<void>() : merging.error();
    }
    auto repository = find(context, {kRepositoryType, ""}, repository_id);
    if (!repository) return repository.error();
    if (!*repository) {
        return sdk::make_error(sdk::ErrorKind::conflict, "editorial_flows.repository_gone",
                               "the repository of the flow is gone");
    }
    const std::string title = sdk::text_member(flow, kTitle);
    auto opened = operations_.on_collection(
        context, kPullRequestType, (*repository)->key,
        {.method = "POST",
         .body = {{kTitle, title.empty() ? "Editorial flow" : title},
                  {"sourceBranchId", sdk::text_member(flow, kBranchId)},
                  {kTargetBranchId, sdk::text_member(flow, kTargetBranchId)}}});
    if (!opened) return opened.error();
    auto noted = context.documents().patch(
        call.collection(), call.record().id,
        {{kPullRequestId, sdk::text_member(sdk::Json::parse(opened->body()), "_doc")}});
    return noted ? sdk::Result<void>() : noted.error();
}

/// What was done stays on the branch, which is archived.
sdk::Result<void> EditorialFlow::cancel(const sdk::Call& call) const {
    sdk::Context& context = call.context();
    const sdk::Json& flow = call.record().fields;
    const std::string repository = sdk::text_member(flow, kRepositoryId);
    const std::string request_id = sdk::text_member(flow, kPullRequestId);
    if (!request_id.empty()) {
        auto request = context.documents().read({kPullRequestType, repository}, request_id);
        if (!request && !sdk::is_missing(request.error())) return request.error();
        if (request) {
            auto closed =
                operations_.on_record(context, request->key, {.method = "POST", .path = "/close"});
            if (!closed) return closed.error();
        }
    }
    auto branch = find(context, {kBranchType, repository}, sdk::text_member(flow, kBranchId));
    if (!branch) return branch.error();
    if (*branch) {
        auto archived =
            operations_.on_record(context, (*branch)->key, {.method = "POST", .path = "/archive"});
        if (!archived) return archived.error();
    }
    auto noted =
        context.documents().patch(call.collection(), call.record().id, {{kState, kCancelled}});
    return noted ? sdk::Result<void>() : noted.error();
}

sdk::Result<sdk::Reply> EditorialFlow::transition(const sdk::Call& call) {
    auto route = call.required_parameter(kRoute);
    if (!route) return route.error();
    if (*route != kFinish && *route != kCancel)
        return sdk::invalid_parameter(kRoute, "must be finish or cancel");
    auto state = state_of(call.context(), call.record().fields);
    if (!state) return state.error();
    if (routes_of(*state).empty()) return has_no_route(*state);
    auto done = *route == kFinish ? finish(call, *state) : cancel(call);
    if (!done) return done.error();
    auto after = call.context().documents().read(call.collection(), call.record().id);
    if (!after) return after.error();
    auto task = shown_task(call.context(), *after);
    if (!task) return task.error();
    return sdk::Reply::json(*task);
}

}  // namespace stele::editorial_flows
