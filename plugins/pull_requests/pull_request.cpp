#include "pull_request.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "change_tree.hpp"
#include "merge_job.hpp"
#include "request_branches.hpp"
#include "request_state.hpp"
#include "request_view.hpp"
#include "validate_job.hpp"
#include "vocabulary.hpp"

namespace stele::pull_requests {

namespace {

constexpr std::size_t kMostRows = 10'000;

sdk::Fields kept_fields() {
    using enum sdk::FieldKind;
    sdk::Fields fields = {
        {.name = member::kState, .kind = text, .one_of = {kOpen, kMerging, kMerged, kClosed}},
        {.name = member::kSourceTip, .kind = text},
        {.name = member::kTargetTip, .kind = text},
        {.name = member::kConflictCount, .kind = integer},
        {.name = member::kFaultCount, .kind = integer},
        {.name = member::kMergeJob, .kind = text},
        {.name = member::kValidateJob, .kind = text},
        {.name = member::kMergedChangeset, .kind = text},
        {.name = member::kMergedOn, .kind = timestamp},
        {.name = member::kMergedBy, .kind = text},
        {.name = member::kClosedOn, .kind = timestamp},
        {.name = member::kClosedBy, .kind = text},
        {.name = member::kConflicts, .kind = array, .items = text, .withheld = true},
        {.name = member::kFaults, .kind = array, .items = object, .withheld = true},
        {.name = member::kProblem, .kind = text, .withheld = true},
        {.name = member::kChangesetWord, .kind = text, .withheld = true},
        {.name = member::kIsStale, .kind = boolean, .withheld = true}};
    for (sdk::Field& field : fields) {
        field.read_only = true;
        field.unindexed = field.withheld;
    }
    return fields;
}

sdk::Shape changes_shape() {
    using namespace sdk::shape;
    return object({{"total_rows", integer()},
                   {"rows", array(object())},
                   {"tree", object({{"name", text()},
                                    {"path", text()},
                                    {"children", array(object())},
                                    {"unplaced", array(object())}})},
                   optional("truncated", boolean()),
                   optional("bound", text())});
}

bool names_branches(const sdk::Json& request) {
    return !sdk::text_member(request, member::kSource).empty() &&
           !sdk::text_member(request, member::kTarget).empty();
}

/// Imports, and what the server does for somebody, come without a token.
bool is_of_client(const sdk::Context& context) {
    return !context.session().token_id.empty();
}

/// Puts ids in the place of what clients call branches; those of `former` stay as they are.
sdk::Result<void> name_branches(sdk::Context& context, const std::string& repository,
                                sdk::Json& fields, const sdk::Json& former) {
    const bool has_source = !sdk::text_member(fields, member::kSource).empty();
    if (has_source && sdk::text_member(fields, member::kTarget).empty())
        fields[member::kTarget] = kMasterAlias;
    sdk::Violations violations;
    for (const char* name : {member::kSource, member::kTarget}) {
        const std::string id = sdk::text_member(fields, name);
        if (id.empty() || id == sdk::text_member(former, name)) continue;
        auto branch = readable_branch(context, repository, id);
        if (!branch) return branch.error();
        if (*branch) fields[name] = (*branch)->id;
        // What was imported may come before its branches, or without them.
        if (!*branch && is_of_client(context)) {
            violations.push_back(
                {name, "pull_requests.branch_unknown", "names no branch of the repository"});
        }
    }
    const std::string source = sdk::text_member(fields, member::kSource);
    const std::string target = sdk::text_member(fields, member::kTarget);
    if (!source.empty() && source == target) {
        violations.push_back({member::kTarget, "pull_requests.branches_same",
                              "must be another branch than sourceBranchId"});
    }
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    return {};
}

}  // namespace

sdk::ResourceDescriptor PullRequest::describe() const {
    using enum sdk::FieldKind;
    sdk::Fields fields = {{.name = "title", .kind = text},
                          {.name = "description", .kind = text},
                          {.name = member::kSource, .kind = text},
                          {.name = member::kTarget, .kind = text},
                          {.name = "comments", .kind = array, .items = object},
                          {.name = "reviewers", .kind = array}};
    std::vector<std::string> unmoved;
    for (sdk::Field& kept : kept_fields()) {
        unmoved.push_back(kept.name);
        fields.push_back(std::move(kept));
    }
    return {.type = kPullRequestType,
            .container = kRepositoryType,
            .path = "pullrequests",
            .placeholder = "pullRequestId",
            .container_member = kRepositoryId,
            .fields = std::move(fields),
            .actions = {{.name = "close",
                         .permission = sdk::Permission::update,
                         .run = sdk::action<&PullRequest::close>(),
                         .answers = sdk::shape::changed()},
                        {.name = "merge/start",
                         .permission = sdk::Permission::update,
                         .run = sdk::action<&PullRequest::start_merge>(),
                         .answers = sdk::shape::job()},
                        {.name = "validate/start",
                         .run = sdk::action<&PullRequest::start_validation>(),
                         .answers = sdk::shape::job()},
                        {.name = "changes/tree",
                         .run = sdk::action<&PullRequest::changes>(),
                         .slow = true,
                         .answers = changes_shape()}},
            .unmoved_members = std::move(unmoved),
            .is_presented = true,
            .title = "pull requests"};
}

sdk::Result<void> PullRequest::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::create) return prepare_new(change, context);
    if (change.kind == sdk::ChangeKind::update) return prepare_update(change, context);
    auto state = state_of(services_.jobs, context, change.before->fields);
    if (!state) return state.error();
    return *state == kMerging ? sdk::Result<void>(is_merging()) : sdk::Result<void>();
}

sdk::Result<void> PullRequest::prepare_new(sdk::Change& change, sdk::Context& context) const {
    change.after->fields[member::kState] = kOpen;
    change.after->fields.update(nothing_known());
    return settle_branches(change, context, sdk::Json::object());
}

sdk::Result<void> PullRequest::prepare_update(sdk::Change& change, sdk::Context& context) const {
    const sdk::Json& before = change.before->fields;
    sdk::Json& after = change.after->fields;
    auto state = state_of(services_.jobs, context, before);
    if (!state) return state.error();
    if (*state == kOpen) {
        // Its job has ended before it was done.
        after[member::kState] = kOpen;
        return settle_branches(change, context, before);
    }
    for (const char* branch : {member::kSource, member::kTarget}) {
        after.erase(branch);
        if (before.contains(branch)) after[branch] = before.at(branch);
    }
    return {};
}

sdk::Result<void> PullRequest::settle_branches(sdk::Change& change, sdk::Context& context,
                                               const sdk::Json& former) const {
    sdk::Json& fields = change.after->fields;
    const std::string& repository = change.collection.container;
    if (auto named = name_branches(context, repository, fields, former); !named) return named;
    const bool is_known =
        sdk::text_member(fields, member::kSource) == sdk::text_member(former, member::kSource) &&
        sdk::text_member(fields, member::kTarget) == sdk::text_member(former, member::kTarget);
    if (is_known) return {};
    fields.update(nothing_known());
    auto branches = readable_branches(context, repository, fields);
    if (!branches) return branches.error();
    if (!*branches) return {};
    auto tips = tips_of(services_.merging, context, (*branches)->pair());
    if (!tips) return tips.error();
    fields.update(*tips);
    return {};
}

sdk::Result<void> PullRequest::stored(const sdk::Change& change, sdk::Context& context) {
    const bool is_opened = change.kind == sdk::ChangeKind::create && is_of_client(context) &&
                           names_branches(change.after->fields);
    if (!is_opened) return {};
    const std::string& repository = change.collection.container;
    auto branches = readable_branches(context, repository, change.after->fields);
    if (!branches) return branches.error();
    if (!*branches || !(*branches)->is_automatic()) return {};
    auto job = start_merge_job(services_, context, repository, change.after->id, true);
    return job ? sdk::Result<void>() : job.error();
}

sdk::Result<void> PullRequest::present(const sdk::Call& call, sdk::Json& record) {
    sdk::Context& context = call.context();
    const std::string& repository = call.collection().container;
    record.erase(member::kChangesetWord);
    auto state = state_of(services_.jobs, context, record);
    if (!state) return state.error();
    if (*state != sdk::text_member(record, member::kState)) {
        record[member::kState] = *state;
        record[member::kProblem] = "the merge has ended before it was done";
    }
    auto stale = *state == kOpen ? is_stale(services_.merging, context, repository, record)
                                 : sdk::Result<bool>(false);
    if (!stale) return stale.error();
    record[member::kIsStale] = *stale;
    return leave_hidden_out(context, repository, record);
}

sdk::Result<sdk::Reply> PullRequest::close(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Document& request = call.record();
    auto state = state_of(services_.jobs, context, request.fields);
    if (!state) return state.error();
    if (*state == kMerging) return is_merging();
    if (*state == kMerged) return is_merged();
    if (*state == kOpen) {
        auto closed =
            context.documents().patch(call.collection(), request.id,
                                      {{member::kState, kClosed},
                                       {member::kClosedOn, sdk::time_value(sdk::now_ms())},
                                       {member::kClosedBy, context.principal().name}});
        if (!closed) return closed.error();
    }
    return sdk::Reply::status({{"_doc", request.id}, {member::kState, kClosed}});
}

sdk::Result<sdk::Reply> PullRequest::running_merge(const sdk::Call& call,
                                                   const sdk::Error& otherwise) const {
    sdk::Context& context = call.context();
    const sdk::Json& request = call.record().fields;
    auto branches = readable_branches(context, call.collection().container, request);
    if (!branches) return branches.error();
    const std::string id = sdk::text_member(request, member::kMergeJob);
    auto job = services_.jobs.read(context, id);
    if (!job && !sdk::is_missing(job.error())) return job.error();
    if (!job || !*branches) return otherwise;
    return sdk::reply_of_started(services_.jobs, call, id);
}

sdk::Result<sdk::Reply> PullRequest::start_merge(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Document& request = call.record();
    const std::string& repository = call.collection().container;
    auto state = state_of(services_.jobs, context, request.fields);
    if (!state) return state.error();
    if (*state == kClosed) return is_closed();
    if (*state == kMerged) return running_merge(call, is_merged());
    if (*state == kMerging) return running_merge(call, is_merging());
    auto branches = require_branches(context, repository, request.fields);
    if (!branches) return branches.error();
    if (auto may = require_approval(context, branches->target); !may) return may.error();
    auto tip = services_.merging.tip(context, branches->source.key);
    if (!tip) return tip.error();
    auto job = start_merge_job(services_, context, repository, request.id, false, *tip);
    if (!job) return job.error();
    return sdk::reply_of_started(services_.jobs, call, *job);
}

sdk::Result<sdk::Reply> PullRequest::start_validation(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Document& request = call.record();
    const std::string& repository = call.collection().container;
    auto branches = require_branches(context, repository, request.fields);
    if (!branches) return branches.error();
    auto state = state_of(services_.jobs, context, request.fields);
    if (!state) return state.error();
    auto may_note = sdk::holds(context, request.key, sdk::Permission::update);
    if (!may_note) return may_note.error();
    auto job =
        start_validate_job(services_, context, repository, request, *may_note && *state == kOpen);
    if (!job) return job.error();
    return sdk::reply_of_started(services_.jobs, call, *job);
}

sdk::Result<sdk::Reply> PullRequest::changes(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Json& request = call.record().fields;
    std::vector<sdk::Json> rows;
    if (sdk::text_member(request, member::kState) != kMerged) {
        auto branches = require_branches(context, call.collection().container, request);
        if (!branches) return branches.error();
        auto found = services_.merging.changes(context, branches->pair());
        if (!found) return found.error();
        rows = *std::move(found);
    }
    sort_by_path(rows);
    sdk::Json reply = {{"total_rows", rows.size()}};
    if (rows.size() > kMostRows) {
        rows.resize(kMostRows);
        reply["truncated"] = true;
        reply["bound"] = "changes";
    }
    reply["tree"] = change_tree(rows);
    reply["rows"] = std::move(rows);
    return sdk::Reply::json(reply);
}

}  // namespace stele::pull_requests
