#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/parameters.hpp"
#include "branch/truncation.hpp"
#include "branch/vocabulary.hpp"
#include "history/branch_history.hpp"
#include "history/changesets.hpp"
#include "job/jobs.hpp"
#include "operation/branch/changeset_shape.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kHistoryJob[] = "branch-history";
constexpr char kNodeDiffs[] = "nodediffs";
constexpr char kChangesetView[] = "changesets";
/// Changesets and nodes of a stretch that are looked at, and rows that a job's result holds.
constexpr std::size_t kMaxHistory = 100'000;
constexpr std::size_t kMaxJobRows = 10'000;

sdk::Result<HistoryRange> history_range(const sdk::Call& call) {
    HistoryRange range{text_parameter(call, "root"), text_parameter(call, "tip")};
    auto includes_root = call.flag("include_root");
    if (!includes_root) return includes_root.error();
    range.includes_root = includes_root->value_or(false);
    return range;
}

/// Rows from `begin` on, at most `most`.
sdk::Result<std::vector<sdk::Json>> changeset_rows(const BranchContent& content,
                                                   const BranchHistory& history, std::size_t begin,
                                                   std::size_t most) {
    auto changesets = changesets_around(content);
    if (!changesets) return changesets.error();
    std::vector<sdk::Json> rows;
    for (std::size_t i = begin; i < history.changesets.size() && rows.size() < most; ++i) {
        auto changeset =
            changesets->read(history.changesets[i].line, history.changesets[i].revision);
        if (!changeset) return changeset.error();
        auto record = changesets->record(*changeset);
        if (!record) return record.error();
        rows.push_back(std::move(*record));
    }
    return rows;
}

sdk::Result<std::vector<sdk::Json>> change_rows(const BranchContent& content,
                                                const BranchHistory& history,
                                                const NodeChanges& changes, std::size_t begin,
                                                std::size_t most) {
    std::vector<sdk::Json> rows;
    std::size_t left = sdk::kMaxDifferences;
    for (std::size_t i = begin; i < changes.changes.size() && rows.size() < most; ++i) {
        auto row = change_row(content, history, changes.changes[i], left);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    return rows;
}

/// Which rows a page reads: with a sort, all of them.
struct Slice {
    std::size_t begin = 0;
    std::size_t most = kMaxHistory;

    explicit Slice(const sdk::PageRequest& page) {
        if (!page.sort.empty()) return;
        begin = static_cast<std::size_t>(page.skip);
        if (page.limit >= 0) most = static_cast<std::size_t>(page.limit);
    }
};

sdk::Result<sdk::Reply> history_page(Services& services, const sdk::PageRequest& page,
                                     const std::vector<sdk::Json>& rows, std::size_t total,
                                     bool is_truncated) {
    sdk::Result<sdk::Reply> reply = page.sort.empty()
                                        ? sdk::Reply::page(sdk::Json(rows), total, page.skip)
                                        : services.rows.page(rows, sdk::Json::object(), page);
    if (!reply || !is_truncated) return reply;
    return truncated(std::move(*reply), "history");
}

sdk::Result<sdk::Reply> list_branch_changesets(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto range = history_range(call);
    if (!range) return range.error();
    auto history = read_history(*content, *range, kMaxHistory);
    if (!history) return history.error();
    const Slice slice(call.page());
    auto rows = changeset_rows(*content, *history, slice.begin, slice.most);
    if (!rows) return rows.error();
    return history_page(services, call.page(), *rows, history->changesets.size(),
                        history->is_truncated);
}

sdk::Result<sdk::Reply> list_node_diffs(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto range = history_range(call);
    if (!range) return range.error();
    auto history = read_history(*content, *range, kMaxHistory);
    if (!history) return history.error();
    auto changes = read_changes(*content, call.context().session(), *history, kMaxHistory);
    if (!changes) return changes.error();
    const Slice slice(call.page());
    auto rows = change_rows(*content, *history, *changes, slice.begin, slice.most);
    if (!rows) return rows.error();
    return history_page(services, call.page(), *rows, changes->changes.size(),
                        changes->is_truncated);
}

sdk::Result<sdk::Reply> start_history(Services& services, const sdk::Call& call) {
    auto range = history_range(call);
    if (!range) return range.error();
    const std::string view = sdk::lower_case(call.parameter("view").value_or(kChangesetView));
    if (view != kChangesetView && view != kNodeDiffs)
        return sdk::invalid_parameter("view", "must be changesets or nodediffs");
    auto branch = call.context().reference(call.record().key);
    if (!branch) return branch.error();
    auto job = services.jobs.start(call.context(), {.type = kHistoryJob,
                                                    .input = {{"branch", *branch},
                                                              {"root", range->root},
                                                              {"tip", range->tip},
                                                              {"includeRoot", range->includes_root},
                                                              {"view", view}}});
    if (!job) return job.error();
    return sdk::reply_of_started(services.jobs, call, *job);
}

sdk::Result<sdk::Json> history_result(const BranchContent& content, const sdk::Job& job) {
    const HistoryRange range{sdk::text_member(job.input(), "root"),
                             sdk::text_member(job.input(), "tip"),
                             sdk::flag_member(job.input(), "includeRoot", false)};
    auto history = read_history(content, range, kMaxHistory);
    if (!history) return history.error();
    std::size_t total = history->changesets.size();
    bool is_truncated = history->is_truncated;
    sdk::Result<std::vector<sdk::Json>> rows = std::vector<sdk::Json>();
    if (sdk::text_member(job.input(), "view") == kNodeDiffs) {
        sdk::Session session;
        session.principal = job.run_as();
        auto changes = read_changes(content, session, *history, kMaxHistory);
        if (!changes) return changes.error();
        total = changes->changes.size();
        is_truncated = changes->is_truncated;
        rows = change_rows(content, *history, *changes, 0, kMaxJobRows);
    } else {
        rows = changeset_rows(content, *history, 0, kMaxJobRows);
    }
    if (!rows) return rows.error();
    sdk::Json result = {
        {"rows", *rows}, {"total_rows", total}, {"offset", 0}, {"size", rows->size()}};
    if (is_truncated || rows->size() < total) {
        result["truncated"] = true;
        result["bound"] = "history";
    }
    return result;
}

sdk::Result<sdk::Json> run_history(Services& services, sdk::Job& job) {
    sdk::Json result;
    auto done = services.registrar.run_as_system(
        job.platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            if (auto held = job.confirm(context.transaction()); !held) return held;
            auto content = BranchContent::open_for(services, context, job.run_as(),
                                                   sdk::text_member(job.input(), "branch"));
            if (!content) return content.error();
            if (auto may = content->require_on_branch(sdk::Permission::read); !may) return may;
            auto read = history_result(*content, job);
            if (!read) return read.error();
            result = std::move(*read);
            return {};
        });
    if (!done) return done.error();
    return result;
}

/// What became of a node from one changeset to another.
sdk::Shape node_change_shape() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"_doc", text()},
                               optional(member::kType, text()),
                               optional(member::kQName, text()),
                               optional(member::kIsAssociation, sdk::shape::boolean()),
                               optional("operation", text({"create", "update", "delete"})),
                               optional("revision", sdk::shape::integer()),
                               optional("diff", patch_shape())});
}

}  // namespace

void define_history_jobs(Services& services) {
    services.jobs.define({.name = kHistoryJob, .run = [&services](sdk::Job& job) {
                              return run_history(services, job);
                          }});
}

sdk::Actions branch_history_actions() {
    const std::vector<sdk::Parameter> range{
        {"root"}, {"tip"}, {"include_root", false, sdk::FieldKind::boolean}};
    std::vector<sdk::Parameter> range_and_view = range;
    range_and_view.push_back({"view", false, sdk::FieldKind::text, {kChangesetView, kNodeDiffs}});
    return {{.name = "history/changesets",
             .method = "GET",
             .run = operation<&list_branch_changesets>(),
             .parameters = range,
             .paged = true,
             .answers = cut_page(changeset_shape())},
            {.name = "history/nodediffs",
             .method = "GET",
             .run = operation<&list_node_diffs>(),
             .parameters = range,
             .paged = true,
             .slow = true,
             .answers = cut_page(node_change_shape())},
            {.name = "history/start",
             .run = operation<&start_history>(),
             .parameters = range_and_view,
             .answers = sdk::shape::job()}};
}

}  // namespace stele::nodes
