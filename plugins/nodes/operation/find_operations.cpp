#include "operation/find_operations.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "graph/node_view.hpp"
#include "graph/search.hpp"
#include "graph/traversal.hpp"
#include "operation/node_rows.hpp"
#include "operation/node_shapes.hpp"

namespace stele::nodes {

namespace {

constexpr char kQueryPart[] = "query";
constexpr char kSearchPart[] = "search";
constexpr char kTraversePart[] = "traverse";
constexpr char kPathPart[] = "pathLookup";
constexpr char kSearchText[] = "text";
constexpr char kScore[] = "_score";
constexpr char kProjection[] = "_fields";

/// Nodes that a find is restricted to, in the order in which they were found.
struct Candidates {
    std::vector<std::string> ids;
    std::string truncated_by;

    void keep(const std::vector<std::string>& others) {
        const std::unordered_set<std::string> known(others.begin(), others.end());
        std::erase_if(ids, [&](const std::string& id) { return !known.contains(id); });
    }
};

/// What a find asks for; a part that is missing restricts nothing.
struct FindRequest {
    sdk::Json query = sdk::Json::object();
    sdk::Json search;
    sdk::Json traverse;
    sdk::Json path;
};

bool is_empty_part(const sdk::Json& part) {
    if (part.is_string()) return part.get_ref<const std::string&>().empty();
    return part.is_null() || (part.is_structured() && part.empty());
}

sdk::Json find_part(const sdk::Json& body, const char* name) {
    const auto part = body.find(name);
    return part == body.end() ? sdk::Json() : *part;
}

sdk::Result<FindRequest> read_find(const sdk::Call& call) {
    auto body = read_object(call.body(), "body");
    if (!body) return body.error();
    FindRequest request;
    auto query = read_object(find_part(*body, kQueryPart), kQueryPart);
    if (!query) return query.error();
    request.query = std::move(*query);
    if (const auto fields = body->find(kProjection); fields != body->end())
        request.query[kProjection] = *fields;
    request.search = find_part(*body, kSearchPart);
    if (is_empty_part(request.search)) request.search = nullptr;
    request.traverse = find_part(*body, kTraversePart);
    request.path = find_part(*body, kPathPart);
    if (is_empty_part(request.path)) request.path = nullptr;
    if (!request.path.is_null() && !request.path.is_string())
        return sdk::invalid_parameter(kPathPart, "must be the path of a node");
    return request;
}

/// Rows of hits are sorted by their scores under the name `_score`.
sdk::PageRequest with_score_sort(sdk::PageRequest page) {
    for (sdk::SortKey& key : page.sort) {
        if (key.field == kScore) key.field = "_search.score";
    }
    return page;
}

/// Best first is how hits come.
bool is_best_first(const sdk::PageRequest& page) {
    return page.sort.size() == 1 && page.sort.front().field == kScore &&
           !page.sort.front().ascending;
}

std::size_t wanted_hits(const sdk::PageRequest& page, const sdk::Json& query) {
    const bool has_condition = query.size() > (query.contains(kProjection) ? 1u : 0u);
    const bool is_whole = has_condition || !page.sort.empty() || page.limit < 0;
    if (is_whole || page.skip >= kGatheredRows) return kGatheredRows;
    const std::uint64_t until = page.skip + static_cast<std::uint64_t>(page.limit);
    return static_cast<std::size_t>(std::min<std::uint64_t>(until, kGatheredRows));
}

sdk::Result<sdk::Reply> page_of_hits(const BranchContent& content, const sdk::Call& call,
                                     const sdk::Json& search, const sdk::Json& query,
                                     const std::optional<Candidates>& candidates) {
    std::unordered_set<std::string> wanted;
    if (candidates) wanted.insert(candidates->ids.begin(), candidates->ids.end());
    sdk::PageRequest page = call.page();
    if (is_best_first(page)) page.sort.clear();
    const std::size_t limit = wanted_hits(page, query);
    std::function<bool(std::string_view)> is_wanted;
    if (candidates)
        is_wanted = [&](std::string_view id) { return wanted.contains(std::string(id)); };
    auto hits = search_nodes(content, search, limit, is_wanted);
    if (!hits) return hits.error();
    const auto row = [&](std::size_t index) -> sdk::Result<sdk::Json> {
        auto node = content.node(hits->best[index].id);
        if (!node) return node.error();
        auto shown = shown_row(content, call, std::move(*node));
        if (!shown) return shown;
        (*shown)["_search"] = {{"score", hits->best[index].score}};
        return shown;
    };
    const std::uint64_t unlisted = hits->total - hits->best.size();
    std::string bound = candidates ? candidates->truncated_by : std::string();
    if (limit == kGatheredRows && unlisted > 0) bound = "gathered_rows";
    if (hits->is_truncated) bound = "looked_at_hits";
    return page_of_rows(content.services(),
                        {.size = hits->best.size(),
                         .row = row,
                         .unlisted = unlisted,
                         .truncated_by = std::move(bound)},
                        shown_query(call, query), with_score_sort(std::move(page)));
}

sdk::Result<Candidates> reached_nodes(const BranchContent& content, const sdk::Document& start,
                                      const sdk::Json& traverse) {
    auto plan = WalkPlan::read(traverse, false);
    if (!plan) return plan.error();
    Candidates found;
    const auto add = [&found](const sdk::Document& node) -> sdk::Result<bool> {
        found.ids.push_back(node.id);
        return true;
    };
    auto bound = walk(content, start, *plan, {.node = add});
    if (!bound) return bound.error();
    found.truncated_by = std::move(*bound);
    return found;
}

sdk::Result<std::vector<std::string>> node_at_path(const BranchContent& content,
                                                   const sdk::Document& start,
                                                   const std::string& path) {
    auto found = content.find_path(start.id, split_path(path));
    if (!found) return found.error();
    std::vector<std::string> ids;
    if (!*found) return ids;
    auto node = sdk::if_readable(content.context(), content.node(**found));
    if (!node) return node.error();
    if (*node) ids.push_back(**found);
    return ids;
}

/// Narrows `candidates` down by the parts that lead along associations from a node.
sdk::Result<void> restrict_to_graph(const BranchContent& content, const FindRequest& request,
                                    const sdk::Document& start,
                                    std::optional<Candidates>& candidates) {
    if (!request.traverse.is_null()) {
        auto reached = reached_nodes(content, start, request.traverse);
        if (!reached) return reached.error();
        if (candidates) reached->keep(candidates->ids);
        candidates = std::move(*reached);
    }
    if (!request.path.is_null()) {
        auto there = node_at_path(content, start, request.path.get<std::string>());
        if (!there) return there.error();
        if (!candidates) candidates = Candidates{*there, {}};
        candidates->keep(*there);
    }
    return {};
}

sdk::Result<sdk::Reply> find_page(const BranchContent& content, const sdk::Call& call,
                                  const FindRequest& request,
                                  const std::optional<Candidates>& candidates) {
    if (!request.search.is_null())
        return page_of_hits(content, call, request.search, request.query, candidates);
    Services& services = content.services();
    const sdk::Json query = shown_query(call, request.query);
    if (!candidates) return services.lists.page(call, content.nodes(), query);
    return page_of_rows(services,
                        node_list(content, call, candidates->ids, candidates->truncated_by), query,
                        call.page());
}

sdk::Result<sdk::Reply> find_in_branch(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto request = read_find(call);
    if (!request) return request.error();
    if (is_empty_part(request->traverse)) request->traverse = nullptr;
    std::optional<Candidates> candidates;
    if (!request->traverse.is_null() || !request->path.is_null()) {
        auto root = content->readable_node(kRootAlias);
        if (!root) return root.error();
        if (auto done = restrict_to_graph(*content, *request, *root, candidates); !done)
            return done.error();
    }
    return find_page(*content, call, *request, candidates);
}

sdk::Result<sdk::Reply> find_around_node(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto request = read_find(call);
    if (!request) return request.error();
    std::optional<Candidates> candidates;
    if (auto done = restrict_to_graph(*content, *request, call.record(), candidates); !done)
        return done.error();
    return find_page(*content, call, *request, candidates);
}

sdk::Result<sdk::Reply> find_relatives(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto request = read_find(call);
    if (!request) return request.error();
    auto direction = read_direction(text_parameter(call, "direction"), "direction");
    if (!direction) return direction.error();
    auto type = type_parameter(call, "type");
    if (!type) return type.error();
    auto edges = visible_edges(*content, call.record(), *direction, *type);
    if (!edges) return edges.error();
    std::optional<Candidates> candidates = Candidates{relatives_of(*edges), edges->truncated_by};
    if (auto done = restrict_to_graph(*content, *request, call.record(), candidates); !done)
        return done.error();
    return find_page(*content, call, *request, candidates);
}

sdk::Result<sdk::Reply> search_page(Services& services, const sdk::Call& call,
                                    const sdk::Json& search, const sdk::Json& query) {
    if (is_empty_part(search)) return sdk::invalid_parameter(kSearchPart, "is missing");
    auto content = content_of(services, call);
    if (!content) return content.error();
    return page_of_hits(*content, call, search, query, std::nullopt);
}

sdk::Result<sdk::Reply> search_by_text(Services& services, const sdk::Call& call) {
    auto text = call.required_parameter(kSearchText);
    if (!text) return text.error();
    return search_page(services, call, *text, sdk::Json::object());
}

sdk::Result<sdk::Reply> search_by_body(Services& services, const sdk::Call& call) {
    auto body = read_object(call.body(), "body");
    if (!body) return body.error();
    sdk::Json search = find_part(*body, kSearchPart);
    if (is_empty_part(search)) search = find_part(*body, kSearchText);
    sdk::Json query = sdk::Json::object();
    if (const auto fields = body->find(kProjection); fields != body->end())
        query[kProjection] = *fields;
    return search_page(services, call, search, query);
}

/// Of a text search: its text, or an expression.
sdk::Shape search_shape() {
    return sdk::shape::either({sdk::shape::text(), sdk::shape::object()});
}

sdk::Shape find_body() {
    using sdk::shape::optional;
    return sdk::shape::object(
        {optional(kQueryPart, sdk::shape::record("Condition")),
         optional(kSearchPart, search_shape()), optional(kTraversePart, walk_shape()),
         optional(kPathPart, sdk::shape::text()), optional(kProjection, sdk::shape::map())});
}

sdk::Shape search_body() {
    using sdk::shape::optional;
    return sdk::shape::object({optional(kSearchPart, search_shape()),
                               optional(kSearchText, search_shape()),
                               optional(kProjection, sdk::shape::map())});
}

/// What a text search found says how well it fits.
sdk::Shape found_node() {
    const sdk::Shape score = sdk::shape::object({{"score", sdk::shape::number()}});
    return sdk::shape::both(node_shape(),
                            sdk::shape::object({sdk::shape::optional("_search", score)}));
}

sdk::Action find_action(const char* name, sdk::ActionScope scope) {
    const bool is_item = scope == sdk::ActionScope::item;
    return {.name = name,
            .scope = scope,
            .permission = is_item ? sdk::Permission::read : sdk::Permission::connect,
            .parameters = with_row_parameters(),
            .paged = true,
            .slow = true,
            .bounds = {{"query", sdk::kMaxBodyEntries, /*holds_records=*/true},
                       {"search", sdk::kMaxBodyEntries, /*holds_records=*/true}},
            .takes = find_body(),
            .answers = cut_page(found_node())};
}

}  // namespace

sdk::Actions node_find_actions() {
    using enum sdk::ActionScope;
    sdk::Actions actions{find_action("find", collection), find_action("find", item),
                         find_action("relatives/find", item), find_action("search", collection),
                         find_action("search", collection)};
    actions[0].run = operation<&find_in_branch>();
    actions[1].run = operation<&find_around_node>();
    actions[2].run = operation<&find_relatives>();
    actions[2].parameters = with_row_parameters(
        {{"type"}, {"direction", false, sdk::FieldKind::text, direction_names()}});
    actions[3].run = operation<&search_by_body>();
    actions[3].takes = search_body();
    actions[4].method = "GET";
    actions[4].run = operation<&search_by_text>();
    actions[4].parameters = with_row_parameters({{kSearchText, true}});
    return actions;
}

}  // namespace stele::nodes
