#include <algorithm>

#include <nlohmann/json.hpp>

#include "branch/truncation.hpp"
#include "branch/vocabulary.hpp"
#include "history/branch_history.hpp"
#include "history/changesets.hpp"
#include "operation/branch/changeset_shape.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

/// Changesets that a sorted list or a query reads, the newest ones, and that a plain list counts
/// where the caller may not see all.
constexpr Revision kMaxQueried = 100'000;
constexpr std::uint64_t kMaxCounted = 1'000'000;
constexpr std::size_t kMaxListedNodes = 100'000;

sdk::Result<Changesets> changesets_of(Services& services, const sdk::Call& call) {
    return Changesets::open(services, call.context(), call.record());
}

struct ChangesetPlace {
    Line line = 0;
    Revision revision = 0;
};

sdk::Result<sdk::Json> records_of(const Changesets& changesets,
                                  const std::vector<ChangesetPlace>& places) {
    sdk::Json rows = sdk::Json::array();
    for (const ChangesetPlace& place : places) {
        auto changeset = changesets.read(place.line, place.revision);
        if (!changeset) return changeset.error();
        auto record = changesets.record(*changeset);
        if (!record) return record.error();
        rows.push_back(std::move(*record));
    }
    return rows;
}

/// Reads the page's rows only: revisions have no gaps.
sdk::Result<sdk::Reply> page_of_all(const Changesets& changesets, const sdk::PageRequest& page) {
    std::vector<ChangesetPlace> places;
    const auto is_full = [&] {
        return page.limit >= 0 && places.size() >= static_cast<std::uint64_t>(page.limit);
    };
    if (page.skip < changesets.newest() && !is_full()) {
        auto walked = changesets.for_each(page.skip + 1, [&](Line line, Revision revision) {
            places.push_back({line, revision});
            return !is_full();
        });
        if (!walked) return walked.error();
    }
    auto rows = records_of(changesets, places);
    if (!rows) return rows.error();
    return sdk::Reply::page(*rows, changesets.newest(), page.skip);
}

sdk::Result<sdk::Reply> page_of_shown(const Changesets& changesets, const sdk::PageRequest& page) {
    std::vector<ChangesetPlace> places;
    std::uint64_t total = 0;
    auto walked = changesets.for_each(1, [&](Line line, Revision revision) {
        const bool is_wanted =
            total >= page.skip &&
            (page.limit < 0 || places.size() < static_cast<std::uint64_t>(page.limit));
        if (is_wanted) places.push_back({line, revision});
        return ++total <= kMaxCounted;
    });
    if (!walked) return walked.error();
    auto rows = records_of(changesets, places);
    if (!rows) return rows.error();
    auto reply = sdk::Reply::page(*rows, total, page.skip);
    if (total <= kMaxCounted) return reply;
    return truncated(std::move(reply), "changesets");
}

sdk::Result<sdk::Reply> page_of_matching(Services& services, const sdk::Call& call,
                                         const sdk::Json& query) {
    if (!query.is_object()) return sdk::invalid_parameter("query", "must be an object");
    auto changesets = changesets_of(services, call);
    if (!changesets) return changesets.error();
    if (query.empty() && call.page().sort.empty()) {
        return changesets->shows_everything() ? page_of_all(*changesets, call.page())
                                              : page_of_shown(*changesets, call.page());
    }
    const bool is_truncated = changesets->newest() > kMaxQueried;
    std::vector<ChangesetPlace> places;
    auto walked = changesets->for_each(is_truncated ? changesets->newest() - kMaxQueried + 1 : 1,
                                       [&](Line line, Revision revision) {
                                           places.push_back({line, revision});
                                           return true;
                                       });
    if (!walked) return walked.error();
    auto rows = records_of(*changesets, places);
    if (!rows) return rows.error();
    auto reply = services.rows.page(rows->get<std::vector<sdk::Json>>(), query, call.page());
    if (!reply || !is_truncated) return reply;
    return truncated(std::move(*reply), "changesets");
}

sdk::Result<sdk::Reply> list_changesets(Services& services, const sdk::Call& call) {
    auto query = sdk::parse_json(call.parameter("query").value_or(""));
    if (!query) return sdk::invalid_parameter("query", query.error().message);
    return page_of_matching(services, call, *query);
}

sdk::Result<sdk::Reply> query_changesets(Services& services, const sdk::Call& call) {
    return page_of_matching(services, call,
                            call.body().is_null() ? sdk::Json::object() : call.body());
}

sdk::Result<sdk::Reply> read_changeset(Services& services, const sdk::Call& call) {
    auto changesets = changesets_of(services, call);
    if (!changesets) return changesets.error();
    auto changeset = changesets->find(call.path(kChangesetId));
    if (!changeset) return changeset.error();
    auto record = changesets->record(*changeset);
    if (!record) return record.error();
    return sdk::Reply::json(*record);
}

sdk::Result<sdk::Reply> page_of_changesets(Services& services, const sdk::Call& call,
                                           const Changesets& changesets,
                                           const std::vector<Changeset>& found) {
    std::vector<sdk::Json> rows;
    for (const Changeset& changeset : found) {
        if (!changesets.shows(changeset.line, changeset.revision)) continue;
        auto record = changesets.record(changeset);
        if (!record) return record.error();
        rows.push_back(std::move(*record));
    }
    return services.rows.page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> list_parents(Services& services, const sdk::Call& call) {
    auto changesets = changesets_of(services, call);
    if (!changesets) return changesets.error();
    auto changeset = changesets->find(call.path(kChangesetId));
    if (!changeset) return changeset.error();
    auto parents = changesets->parents(*changeset);
    if (!parents) return parents.error();
    return page_of_changesets(services, call, *changesets, *parents);
}

sdk::Result<sdk::Reply> list_child_changesets(Services& services, const sdk::Call& call) {
    auto changesets = changesets_of(services, call);
    if (!changesets) return changesets.error();
    auto changeset = changesets->find(call.path(kChangesetId));
    if (!changeset) return changeset.error();
    auto children = changesets->children(*changeset, kMaxQueried);
    if (!children) return children.error();
    auto reply = page_of_changesets(services, call, *changesets, children->found);
    if (!reply || !children->is_truncated) return reply;
    return truncated(std::move(*reply), "changesets");
}

/// The nodes as the changeset left them. Rights are those of a branch that shows it.
sdk::Result<sdk::Reply> list_written_nodes(Services& services, const sdk::Call& call) {
    auto changesets = changesets_of(services, call);
    if (!changesets) return changesets.error();
    auto changeset = changesets->find(call.path(kChangesetId));
    if (!changeset) return changeset.error();
    const auto branch = changesets->branch_showing(changeset->line);
    if (!branch) return sdk::Reply::page(sdk::Json::array(), 0, call.page().skip);
    auto content = BranchContent::open(services, call.context(), *branch);
    if (!content) return content.error();
    auto nodes = changesets->nodes_of(*changeset, kMaxListedNodes + 1);
    if (!nodes) return nodes.error();
    const bool is_truncated = nodes->size() > kMaxListedNodes;
    if (is_truncated) nodes->pop_back();
    std::vector<std::string> readable;
    for (std::string& node : *nodes) {
        auto may = may_read_node(*content, call.context().session(), node);
        if (!may) return may.error();
        if (*may) readable.push_back(std::move(node));
    }
    const History history(*content);
    const sdk::PageRequest& page = call.page();
    const bool is_sorted = !page.sort.empty();
    const std::uint64_t total = readable.size();
    const std::uint64_t begin = is_sorted ? 0 : std::min<std::uint64_t>(page.skip, total);
    const std::uint64_t wanted =
        is_sorted || page.limit < 0 ? total : static_cast<std::uint64_t>(page.limit);
    std::vector<sdk::Json> rows;
    for (std::uint64_t i = begin; i < begin + std::min(wanted, total - begin); ++i) {
        if (auto may = call.context().go_on(); !may) return may.error();
        auto record = history.read(readable[i], {changeset->line, changeset->revision});
        if (!record) return record.error();
        if (*record) rows.push_back(std::move(**record));
    }
    auto reply = is_sorted
                     ? services.rows.page(rows, sdk::Json::object(), page)
                     : sdk::Result<sdk::Reply>(sdk::Reply::page(sdk::Json(rows), total, page.skip));
    if (!reply || !is_truncated) return reply;
    return truncated(std::move(*reply), "nodes");
}

}  // namespace

sdk::Actions repository_changeset_actions() {
    const std::vector<sdk::Parameter> query{{"query", false, sdk::FieldKind::object}};
    const sdk::Shape page = cut_page(changeset_shape());
    return {{.name = "changesets",
             .method = "GET",
             .run = operation<&list_changesets>(),
             .parameters = query,
             .paged = true,
             .answers = page},
            {.name = "changesets/query",
             .method = "GET",
             .run = operation<&list_changesets>(),
             .parameters = query,
             .paged = true,
             .answers = page},
            {.name = "changesets/query",
             .run = operation<&query_changesets>(),
             .paged = true,
             .answers = page},
            {.name = "changesets/{changesetId}",
             .method = "GET",
             .run = operation<&read_changeset>(),
             .answers = changeset_shape()},
            {.name = "changesets/{changesetId}/parents",
             .method = "GET",
             .run = operation<&list_parents>(),
             .paged = true,
             .answers = sdk::shape::page(changeset_shape())},
            {.name = "changesets/{changesetId}/children",
             .method = "GET",
             .run = operation<&list_child_changesets>(),
             .paged = true,
             .answers = page},
            {.name = "changesets/{changesetId}/nodes",
             .method = "GET",
             .run = operation<&list_written_nodes>(),
             .paged = true,
             .answers = cut_page(node_shape())}};
}

}  // namespace stele::nodes
