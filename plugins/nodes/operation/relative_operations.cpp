#include "operation/relative_operations.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "operation/node_rows.hpp"
#include "operation/node_shapes.hpp"

namespace stele::nodes {

namespace {

constexpr char kRelationType[] = "type";
constexpr char kRelationDirection[] = "direction";

sdk::Result<sdk::Reply> relative_page(Services& services, const sdk::Call& call,
                                      Direction direction, const std::string& type,
                                      const sdk::Json& query) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto found = visible_edges(*content, call.record(), direction, type);
    if (!found) return found.error();
    return page_of_rows(services,
                        node_list(*content, call, relatives_of(*found), found->truncated_by),
                        shown_query(call, query), call.page());
}

sdk::Result<sdk::Reply> list_children(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto found = visible_edges(*content, call.record(), Direction::outgoing, association::kChild);
    if (!found) return found.error();
    // An undirected association leads to no child.
    std::erase_if(found->edges, [](const Edge& edge) { return edge.end != Direction::outgoing; });
    return page_of_rows(services,
                        node_list(*content, call, relatives_of(*found), found->truncated_by),
                        shown_query(call, sdk::Json::object()), call.page());
}

sdk::Result<sdk::Reply> list_relatives(Services& services, const sdk::Call& call) {
    auto direction = read_direction(text_parameter(call, kRelationDirection), kRelationDirection);
    if (!direction) return direction.error();
    auto type = type_parameter(call, kRelationType);
    if (!type) return type.error();
    return relative_page(services, call, *direction, *type, sdk::Json::object());
}

/// What was made of the node: relatives that are marked as renditions.
sdk::Result<sdk::Reply> list_renditions(Services& services, const sdk::Call& call) {
    return relative_page(
        services, call, Direction::any, {},
        {{std::string(member::kFeatures) + "." + feature::kRendition, {{"$exists", true}}}});
}

sdk::Result<sdk::Reply> query_relatives(Services& services, const sdk::Call& call) {
    auto direction =
        read_direction(text_parameter_beside_query(call, kRelationDirection), kRelationDirection);
    if (!direction) return direction.error();
    auto query = read_object(call.body(), "query");
    if (!query) return query.error();
    auto type = checked_type(text_parameter_beside_query(call, kRelationType), kRelationType);
    if (!type) return type.error();
    return relative_page(services, call, *direction, *type, *query);
}

sdk::Result<sdk::Reply> find_ancestor_by_type(Services& services, const sdk::Call& call) {
    auto type = type_parameter(call, kRelationType);
    if (!type) return type.error();
    if (type->empty()) return sdk::invalid_parameter(kRelationType, "is missing");
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto above = content->ancestors(call.record().id);
    if (!above) return above.error();
    for (const std::string& id : *above) {
        auto folder = sdk::if_readable(call.context(), content->node(id));
        if (!folder) return folder.error();
        if (*folder && sdk::text_member((*folder)->fields, member::kType) == *type)
            return sdk::Reply::json((*folder)->fields);
    }
    return sdk::make_error(
        sdk::ErrorKind::not_found, "nodes.ancestor_unknown",
        fmt::format("node {} lies in no folder of type {}", call.record().id, *type));
}

}  // namespace

sdk::Actions node_relative_actions() {
    const std::vector<sdk::Parameter> relation = with_row_parameters(
        {{kRelationType}, {kRelationDirection, false, sdk::FieldKind::text, direction_names()}});
    return {{.name = "children",
             .method = "GET",
             .run = operation<&list_children>(),
             .parameters = with_row_parameters(),
             .paged = true,
             .answers = page_of_nodes()},
            {.name = "renditions",
             .method = "GET",
             .run = operation<&list_renditions>(),
             .parameters = with_row_parameters(),
             .paged = true,
             .answers = page_of_nodes()},
            {.name = "relatives",
             .method = "GET",
             .run = operation<&list_relatives>(),
             .parameters = relation,
             .paged = true,
             .answers = page_of_nodes()},
            {.name = "relatives/query",
             .run = operation<&query_relatives>(),
             .parameters = relation,
             .paged = true,
             .answers = page_of_nodes()},
            {.name = "ancestorbytype",
             .run = operation<&find_ancestor_by_type>(),
             .parameters = {{kRelationType, true}},
             .answers = node_shape()}};
}

}  // namespace stele::nodes
