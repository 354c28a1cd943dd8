#include "operation/branch/branch_indexes.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "branch/protection.hpp"
#include "job/node_jobs.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

using sdk::CollectionIndex;

constexpr char kIndexBuild[] = "build-indexes";
constexpr char kIndexName[] = "indexName";
/// Nodes of one step. A step is a changeset, and writers of its nodes wait for none longer.
constexpr std::size_t kNodesAtOnce = 1000;
constexpr std::size_t kMaxNameLength = 120;

sdk::Error malformed_index(const std::string& path, std::string message) {
    return sdk::make_error({{path, "nodes.branch_index_malformed", std::move(message)}});
}

sdk::Result<std::string> index_name(const sdk::Json& body) {
    static constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    std::string name = body.is_object() ? sdk::text_member(body, "name") : std::string();
    const bool is_name = !name.empty() && name.size() <= kMaxNameLength &&
                         name.find_first_not_of(kAllowed) == std::string::npos;
    if (is_name) return name;
    return malformed_index("name", "name must be 1 to 120 letters, digits, '_', '.' or '-'");
}

/// A direction as drivers write it: 1 or -1, however the number is spelled.
std::optional<bool> read_ascending(const sdk::Json& value) {
    if (!value.is_number()) return std::nullopt;
    const double number = value.get<double>();
    if (number == 1) return true;
    if (number == -1) return false;
    return std::nullopt;
}

sdk::Result<std::vector<sdk::IndexMember>> index_members(const sdk::Json& body) {
    const auto index = body.find("index");
    if (index == body.end() || !index->is_object())
        return malformed_index("index", "index must be an object of members, each 1 or -1");
    std::vector<sdk::IndexMember> members;
    for (const auto& [path, value] : index->items()) {
        const auto is_ascending = read_ascending(value);
        if (!is_ascending) return malformed_index("index." + path, path + " must be 1 or -1");
        members.push_back({path, *is_ascending});
    }
    return members;
}

const char* state_name(CollectionIndex::State state) {
    switch (state) {
        case CollectionIndex::State::building:
            return "building";
        case CollectionIndex::State::ready:
            return "ready";
        case CollectionIndex::State::overflowing:
            return "overflowing";
    }
    return "";
}

sdk::Json index_row(const CollectionIndex& index) {
    sdk::Json members = sdk::Json::object();
    for (const sdk::IndexMember& member : index.members)
        members[member.path] = member.is_ascending ? 1 : -1;
    return {{"_doc", index.name},
            {"name", index.name},
            {"index", std::move(members)},
            {"state", state_name(index.state)}};
}

sdk::Result<bool> is_building(const BranchContent& content) {
    auto indexes = content.services().indexes.list(content.context(), content.nodes());
    if (!indexes) return indexes.error();
    return std::any_of(indexes->begin(), indexes->end(), [](const CollectionIndex& index) {
        return index.state == CollectionIndex::State::building;
    });
}

/// Where the job that builds the indexes of a branch, named by its address, leaves its id until it
/// has found nothing to build. Whoever adds an index reads it in the transaction that adds: either
/// the job sees the new index, or it is seen that the job has ended.
std::string mark_key(sdk::Context& context, const sdk::Json& address) {
    return sdk::KeyWriter(context.key_space("nodes.index_build"))
        .text(sdk::dump_json(address))
        .key();
}

/// A job that was killed leaves its mark.
sdk::Result<bool> is_under_way(sdk::Jobs& jobs, sdk::Context& context, const std::string& id) {
    auto job = jobs.read(context, id);
    if (!job && sdk::is_missing(job.error())) return false;
    if (!job) return job.error();
    const std::string state = sdk::text_member(*job, "state");
    return state != sdk::job_state_name(sdk::JobState::finished) &&
           state != sdk::job_state_name(sdk::JobState::error);
}

/// One job for a branch, however many indexes it has to build.
sdk::Result<void> start_build(const BranchContent& content) {
    sdk::Context& context = content.context();
    sdk::Jobs& jobs = content.services().jobs;
    auto address = address_of(content);
    if (!address) return address.error();
    const std::string key = mark_key(context, *address);
    auto mark = context.transaction().get(key);
    if (!mark) return mark.error();
    if (*mark) {
        auto lives = is_under_way(jobs, context, **mark);
        if (!lives) return lives.error();
        if (*lives) return {};
    }
    auto job = jobs.start(context, {.type = kIndexBuild, .input = std::move(*address)});
    if (!job) return job.error();
    context.transaction().put(key, *job);
    return {};
}

sdk::Result<sdk::Reply> list_indexes(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto indexes = services.indexes.list(call.context(), content->nodes());
    if (!indexes) return indexes.error();
    std::vector<sdk::Json> rows;
    std::transform(indexes->begin(), indexes->end(), std::back_inserter(rows), index_row);
    return services.rows.page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> create_index(Services& services, const sdk::Call& call) {
    auto name = index_name(call.body());
    if (!name) return name.error();
    auto members = index_members(call.body());
    if (!members) return members.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto writable = check_branch_writable(*content); !writable) return writable.error();
    sdk::Context& context = call.context();
    auto added = services.indexes.add(context, content->nodes(), {*name, std::move(*members)});
    if (!added) return added.error();
    auto is_built = services.indexes.build(context, content->nodes(), kNodesAtOnce);
    if (!is_built) return is_built.error();
    if (!*is_built) {
        if (auto started = start_build(*content); !started) return started.error();
    }
    auto indexes = services.indexes.list(context, content->nodes());
    if (!indexes) return indexes.error();
    return sdk::Reply::status(index_row(indexes->back()));
}

sdk::Result<sdk::Reply> remove_index(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (auto writable = check_branch_writable(*content); !writable) return writable.error();
    const std::string name(call.path(kIndexName));
    auto removed = services.indexes.remove(call.context(), content->nodes(), name);
    if (!removed) return removed.error();
    return sdk::Reply::status({{"_doc", name}});
}

/// True when nothing is left to do.
sdk::Result<bool> build_step(Services& services, sdk::Context& context, sdk::Job& job) {
    if (auto held = job.confirm(context.transaction()); !held) return held.error();
    auto content = open_address(services, context, job.input());
    // A branch that is gone by now needs no index.
    if (!content && sdk::is_missing(content.error())) return true;
    if (!content) return content.error();
    // Whoever has nothing to build writes no changeset.
    auto is_open = is_building(*content);
    if (!is_open) return is_open.error();
    if (!*is_open) return true;
    content->changes().act_for(job.run_as());
    // What was protected meanwhile takes no changesets; queries do without the index.
    auto is_writable = check_branch_writable(*content);
    if (!is_writable && is_writable.error().kind == sdk::ErrorKind::forbidden) return true;
    if (!is_writable) return is_writable.error();
    return services.indexes.build(context, content->nodes(), kNodesAtOnce);
}

sdk::Result<sdk::Json> run_build(Services& services, sdk::Job& job) {
    for (bool is_done = false; !is_done;) {
        if (job.must_stop()) {
            return sdk::make_error(sdk::ErrorKind::unavailable, "nodes.branch_index_build_stopped",
                                   "the job was stopped");
        }
        auto worked = services.registrar.run_as_system(
            job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                auto step = build_step(services, context, job);
                if (!step) return step.error();
                is_done = *step;
                if (is_done) context.transaction().remove(mark_key(context, job.input()));
                return {};
            });
        if (!worked) return worked.error();
    }
    return sdk::Json::object();
}

sdk::Shape index_body() {
    using namespace sdk::shape;
    return object({{"name", text()}, {"index", map(integer())}});
}

/// Members of `index_row` beside `_doc`.
std::vector<sdk::ShapeMember> members_of_row(bool are_required) {
    using namespace sdk::shape;
    return {{"name", text(), are_required},
            {"index", map(integer()), are_required},
            {"state", text({"building", "ready", "overflowing"}), are_required}};
}

/// With `full=false` a row is no more than its `_doc`.
sdk::Shape page_of_indexes() {
    std::vector<sdk::ShapeMember> row = members_of_row(false);
    row.push_back({"_doc", sdk::shape::text()});
    return sdk::shape::page(sdk::shape::object(row));
}

}  // namespace

void define_index_builds(Services& services) {
    services.jobs.define({.name = kIndexBuild,
                          .run = [&services](sdk::Job& job) { return run_build(services, job); },
                          .is_of_starter = false});
}

sdk::Result<void> resume_index_builds(const BranchContent& content) {
    auto is_open = is_building(content);
    if (!is_open) return is_open.error();
    return *is_open ? start_build(content) : sdk::Result<void>();
}

sdk::Actions branch_index_actions() {
    using sdk::Permission;
    return {{.name = "indexes",
             .method = "GET",
             .run = operation<&list_indexes>(),
             .paged = true,
             .answers = page_of_indexes()},
            {.name = "indexes",
             .permission = Permission::update,
             .run = operation<&create_index>(),
             .slow = true,
             .takes = index_body(),
             .answers = sdk::shape::status(members_of_row(true))},
            {.name = "indexes/{indexName}",
             .method = "DELETE",
             .permission = Permission::update,
             .run = operation<&remove_index>(),
             .urgent = true,
             .answers = sdk::shape::status()}};
}

}  // namespace stele::nodes
