#include "operation/node_rows.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "graph/node_view.hpp"

namespace stele::nodes {

namespace {

constexpr char kFields[] = "_fields";

bool has_conditions(const sdk::Json& query) {
    return query.size() > (query.contains(kFields) ? 1u : 0u);
}

sdk::Result<std::vector<sdk::Json>> read_rows(const RowList& list, std::uint64_t begin,
                                              std::uint64_t end) {
    std::vector<sdk::Json> rows;
    for (std::uint64_t i = begin; i < end; ++i) {
        auto row = list.row(i);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    return rows;
}

sdk::Result<sdk::Reply> with_members(sdk::Reply reply, const sdk::Json& members) {
    if (members.empty()) return reply;
    auto body = sdk::parse_json(reply.body());
    if (!body) return body.error();
    body->update(members);
    return sdk::Reply::json(*body);
}

sdk::Json truncation(const std::string& bound) {
    if (bound.empty()) return sdk::Json::object();
    return {{"truncated", true}, {"bound", bound}};
}

/// Rows that neither a condition nor a sort has to see.
sdk::Result<sdk::Reply> slice_of_rows(Services& services, const RowList& list,
                                      const sdk::Json& query, const sdk::PageRequest& page) {
    const std::uint64_t total = list.size + list.unlisted;
    const std::uint64_t begin = std::min<std::uint64_t>(page.skip, list.size);
    const std::uint64_t left = list.size - begin;
    const std::uint64_t wanted =
        page.limit < 0 ? left : std::min(left, static_cast<std::uint64_t>(page.limit));
    auto rows = read_rows(list, begin, begin + wanted);
    if (!rows) return rows.error();
    sdk::PageRequest everything;
    everything.limit = -1;
    auto reply = services.rows.page(*rows, query, everything);
    if (!reply) return reply;
    sdk::Json members = {{"total_rows", total}, {"offset", page.skip}};
    members.update(truncation(list.truncated_by));
    return with_members(std::move(*reply), members);
}

bool is_scalar_text(const sdk::Json& value, const std::string& text) {
    if (value.is_string()) return value.get_ref<const std::string&>() == text;
    return value.is_primitive() && value.dump() == text;
}

}  // namespace

sdk::Result<sdk::Reply> page_of_rows(Services& services, const RowList& list,
                                     const sdk::Json& query, const sdk::PageRequest& page) {
    if (!has_conditions(query) && page.sort.empty())
        return slice_of_rows(services, list, query, page);
    const std::size_t gathered = std::min(list.size, kGatheredRows);
    auto rows = read_rows(list, 0, gathered);
    if (!rows) return rows.error();
    auto reply = services.rows.page(*rows, query, page);
    if (!reply) return reply;
    const bool is_cut = gathered < list.size;
    return with_members(std::move(*reply),
                        truncation(is_cut ? "gathered_rows" : list.truncated_by));
}

sdk::Result<VisibleEdges> visible_edges(const BranchContent& content, const sdk::Document& node,
                                        Direction direction, std::string_view type) {
    auto edges = content.all_edges(node, direction, type, kListedAssociations + 1);
    if (!edges) return edges.error();
    VisibleEdges found;
    if (edges->size() > kListedAssociations) {
        edges->pop_back();
        found.truncated_by = "listed_associations";
    }
    std::unordered_map<std::string, bool> readable;
    std::unordered_set<std::string> known;
    for (Edge& edge : *edges) {
        // One that leads back to its own node is seen from both ends.
        if (!known.insert(edge.association).second) continue;
        auto other = readable.find(edge.other);
        if (other == readable.end()) {
            auto node_there = sdk::if_readable(content.context(), content.node(edge.other));
            if (!node_there) return node_there.error();
            other = readable.emplace(edge.other, node_there->has_value()).first;
        }
        if (other->second) found.edges.push_back(std::move(edge));
    }
    return found;
}

std::vector<std::string> relatives_of(const VisibleEdges& found) {
    std::vector<std::string> ids;
    std::unordered_set<std::string> known;
    for (const Edge& edge : found.edges) {
        if (known.insert(edge.other).second) ids.push_back(edge.other);
    }
    return ids;
}

RowList node_list(const BranchContent& content, const sdk::Call& call, std::vector<std::string> ids,
                  std::string truncated_by) {
    const std::size_t size = ids.size();
    auto row = [&content, &call,
                ids = std::move(ids)](std::size_t index) -> sdk::Result<sdk::Json> {
        auto node = content.node(ids[index]);
        if (!node) return node.error();
        return shown_row(content, call, std::move(*node));
    };
    return {.size = size, .row = std::move(row), .truncated_by = std::move(truncated_by)};
}

std::string text_parameter_beside_query(const sdk::Call& call, const char* name) {
    const sdk::Json& body = call.body();
    const auto condition = body.is_object() ? body.find(name) : body.end();
    const bool is_condition =
        condition != body.end() &&
        is_scalar_text(*condition, call.parameter(name).value_or(std::string()));
    return is_condition ? std::string() : text_parameter(call, name);
}

sdk::Result<Direction> read_direction(std::string_view name, std::string_view parameter) {
    if (name.empty()) return Direction::any;
    if (const auto direction = find_direction(name)) return *direction;
    return sdk::invalid_parameter(parameter, "must be ANY, INCOMING, OUTGOING or MUTUAL");
}

sdk::Result<sdk::Json> read_object(const sdk::Json& value, std::string_view parameter) {
    if (value.is_object()) return value;
    if (value.is_null() || (value.is_array() && value.empty())) return sdk::Json::object();
    return sdk::invalid_parameter(parameter, "must be an object");
}

}  // namespace stele::nodes
