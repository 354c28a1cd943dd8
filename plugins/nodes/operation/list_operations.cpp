#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/parameters.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"
#include "graph/node_view.hpp"
#include "graph/translations.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"
#include "operation/readable_ends.hpp"

namespace stele::nodes {

namespace {

constexpr char kListKey[] = "listKey";
constexpr char kListItemType[] = "listItemType";
constexpr char kItemId[] = "itemId";
constexpr char kAssociationTypeId[] = "associationTypeId";

/// A node whose associations of a type lead to items: a list by key, or any node.
struct NodeList {
    sdk::Document node;
    std::string association_type;
    /// Empty: items say their type themselves.
    std::string item_type;
};

/// How a list is found by the operations of a kind.
using FindList = sdk::Result<NodeList> (*)(const BranchContent&, const sdk::Call&);

sdk::Result<std::optional<sdk::Document>> find_list_node(const BranchContent& content,
                                                         std::string_view key) {
    sdk::PageRequest first;
    first.limit = 1;
    auto found = content.context().documents().query(
        content.nodes(), {{member::kType, type::kList}, {kListKey, key}}, first);
    if (!found) return found.error();
    if (found->rows.empty()) return std::optional<sdk::Document>();
    return std::optional<sdk::Document>(std::move(found->rows.front()));
}

sdk::Result<NodeList> list_by_key(const BranchContent& content, const sdk::Call& call) {
    const std::string_view key = call.path(kListKey);
    auto found = find_list_node(content, key);
    if (!found) return found.error();
    const sdk::Error unknown =
        sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_list_unknown",
                        fmt::format("there is no list {}", key));
    if (!*found) return unknown;
    auto readable = sdk::if_readable(content.context(), std::move(**found));
    if (!readable) return readable.error();
    if (!*readable) return unknown;
    std::string item_type = sdk::text_member((*readable)->fields, kListItemType);
    return NodeList{std::move(**readable), association::kOwned, std::move(item_type)};
}

sdk::Result<NodeList> list_of_node(const BranchContent&, const sdk::Call& call) {
    std::string type(call.path(kAssociationTypeId));
    if (auto fine = check_association_type(type, kAssociationTypeId); !fine) return fine.error();
    return NodeList{call.record(), std::move(type), {}};
}

sdk::Result<std::vector<sdk::Document>> items_of(const BranchContent& content,
                                                 const NodeList& list) {
    auto edges = content.edges(list.node.id, Direction::outgoing, list.association_type);
    if (!edges) return edges.error();
    return readable_ends(content, *edges);
}

sdk::Result<sdk::Reply> page_of_items(Services& services, const sdk::Call& call, FindList find,
                                      const sdk::Json& query) {
    auto locale = wanted_locale(call);
    if (!locale) return locale.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto list = find(*content, call);
    if (!list) return list.error();
    auto items = items_of(*content, *list);
    if (!items) return items.error();
    std::vector<sdk::Json> rows;
    for (sdk::Document& item : *items) {
        auto shown = localised(*content, std::move(item), *locale);
        if (!shown) return shown.error();
        auto row = shown_row(*content, call, std::move(*shown));
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    return services.rows.page(rows, shown_query(call, query), call.page());
}

template <FindList find>
sdk::Result<sdk::Reply> list_items(Services& services, const sdk::Call& call) {
    return page_of_items(services, call, find, sdk::Json::object());
}

template <FindList find>
sdk::Result<sdk::Reply> query_items(Services& services, const sdk::Call& call) {
    auto query = narrowed(call.body(), sdk::Json::object());
    if (!query) return query.error();
    return page_of_items(services, call, find, *query);
}

template <FindList find>
sdk::Result<sdk::Reply> add_item(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto list = find(*content, call);
    if (!list) return list.error();
    if (auto may = content->require(list->node, sdk::Permission::update); !may) return may.error();
    if (auto may = content->require_create(); !may) return may.error();
    sdk::Json fields = call.body().is_object() ? call.body() : sdk::Json::object();
    fields.erase(member::kIsAssociation);
    if (!list->item_type.empty()) fields[member::kType] = list->item_type;
    auto item = content->create(std::move(fields));
    if (!item) return item.error();
    auto joined = content->associate({.source = list->node.id,
                                      .target = item->id,
                                      .type = list->association_type,
                                      .fields = sdk::Json::object()});
    if (!joined) return joined.error();
    return sdk::Reply::status(item->fields);
}

sdk::Result<void> remove_node(const BranchContent& content, const sdk::Document& node) {
    if (auto may = content.require(node, sdk::Permission::remove); !may) return may;
    return content.context().documents().remove(content.nodes(), node.id);
}

template <FindList find>
sdk::Result<sdk::Reply> remove_item(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto list = find(*content, call);
    if (!list) return list.error();
    const std::string_view id = call.path(kItemId);
    const sdk::Error unknown = sdk::make_error(sdk::ErrorKind::not_found, "nodes.item_unknown",
                                               fmt::format("the list has no item {}", id));
    auto item = sdk::if_readable(call.context(), content->node(id));
    if (!item) return item.error();
    if (!*item) return unknown;
    auto edges = content->edges(list->node.id, Direction::outgoing, list->association_type);
    if (!edges) return edges.error();
    const bool is_item = std::any_of(edges->begin(), edges->end(),
                                     [&](const Edge& edge) { return edge.other == (*item)->id; });
    if (!is_item) return unknown;
    // Items go with a change of the list, too.
    if (auto free = check_unlocked(*content, list->node); !free) return free.error();
    if (auto removed = remove_node(*content, **item); !removed) return removed.error();
    return sdk::Reply::status({{"_doc", (*item)->id}});
}

/// All or nothing: an item that the caller may not delete keeps the others.
sdk::Result<sdk::Reply> remove_items(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto list = list_by_key(*content, call);
    if (!list) return list.error();
    if (auto free = check_unlocked(*content, list->node); !free) return free.error();
    auto items = items_of(*content, *list);
    if (!items) return items.error();
    sdk::Json removed = sdk::Json::array();
    for (const sdk::Document& item : *items) {
        if (auto gone = remove_node(*content, item); !gone) return gone.error();
        removed.push_back(item.id);
    }
    return sdk::Reply::status({{"_doc", list->node.id}, {"_docs", std::move(removed)}});
}

sdk::Result<sdk::Reply> create_list(Services& services, const sdk::Call& call) {
    auto item_type = call.required_parameter("type");
    if (!item_type) return item_type.error();
    item_type = type_parameter(call, "type");
    if (!item_type) return item_type.error();
    if (item_type->empty()) return sdk::invalid_parameter("type", "is missing");
    auto content = content_of(services, call);
    if (!content) return content.error();
    const std::string key(call.path(kListKey));
    auto present = find_list_node(*content, key);
    if (!present) return present.error();
    if (*present) {
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.branch_list_taken",
                               fmt::format("there is a list {} already", key));
    }
    sdk::Json fields = call.body().is_object() ? call.body() : sdk::Json::object();
    fields.erase("type");
    fields.erase(member::kIsAssociation);
    fields[member::kType] = type::kList;
    fields[kListKey] = key;
    fields[kListItemType] = *item_type;
    if (!fields.contains("title")) fields["title"] = key;
    auto made = content->create(std::move(fields));
    if (!made) return made.error();
    return sdk::Reply::status(made->fields);
}

sdk::Result<sdk::Reply> read_list(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto list = list_by_key(*content, call);
    if (!list) return list.error();
    return sdk::Reply::json(list->node.fields);
}

sdk::Result<sdk::Reply> remove_list(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto list = list_by_key(*content, call);
    if (!list) return list.error();
    if (auto removed = remove_node(*content, list->node); !removed) return removed.error();
    return sdk::Reply::status({{"_doc", list->node.id}});
}

}  // namespace

sdk::Actions node_list_actions() {
    const std::vector<sdk::Parameter> shown = with_row_parameters({{"locale"}});
    return {{.name = "list/{associationTypeId}/items",
             .method = "GET",
             .run = operation<&list_items<&list_of_node>>(),
             .parameters = shown,
             .paged = true,
             .answers = sdk::shape::page(node_shape())},
            {.name = "list/{associationTypeId}/items",
             .permission = sdk::Permission::update,
             .run = operation<&add_item<&list_of_node>>(),
             .body = sdk::BodyUse::record,
             .takes = node_body(),
             .answers = written_node()},
            {.name = "list/{associationTypeId}/items/query",
             .run = operation<&query_items<&list_of_node>>(),
             .parameters = shown,
             .paged = true,
             .answers = sdk::shape::page(node_shape())},
            {.name = "list/{associationTypeId}/items/{itemId}",
             .method = "DELETE",
             .run = operation<&remove_item<&list_of_node>>(),
             .urgent = true,
             .answers = sdk::shape::status()}};
}

sdk::Actions branch_list_actions() {
    const std::vector<sdk::Parameter> shown = with_row_parameters({{"locale"}});
    return {{.name = "lists/{listKey}",
             .permission = sdk::Permission::create_subobjects,
             .run = operation<&create_list>(),
             .parameters = {{"type", true}},
             .body = sdk::BodyUse::record,
             .takes = node_body(),
             .answers = written_node()},
            {.name = "lists/{listKey}",
             .method = "GET",
             .run = operation<&read_list>(),
             .answers = node_shape()},
            {.name = "lists/{listKey}",
             .method = "DELETE",
             .run = operation<&remove_list>(),
             .urgent = true,
             .answers = sdk::shape::status()},
            {.name = "lists/{listKey}/items",
             .method = "GET",
             .run = operation<&list_items<&list_by_key>>(),
             .parameters = shown,
             .paged = true,
             .answers = sdk::shape::page(node_shape())},
            {.name = "lists/{listKey}/items",
             .permission = sdk::Permission::create_subobjects,
             .run = operation<&add_item<&list_by_key>>(),
             .body = sdk::BodyUse::record,
             .takes = node_body(),
             .answers = written_node()},
            {.name = "lists/{listKey}/items/query",
             .run = operation<&query_items<&list_by_key>>(),
             .parameters = shown,
             .paged = true,
             .answers = sdk::shape::page(node_shape())},
            {.name = "lists/{listKey}/items",
             .method = "DELETE",
             .run = operation<&remove_items>(),
             .urgent = true,
             .answers = sdk::shape::status({ids_member()})},
            {.name = "lists/{listKey}/items/{itemId}",
             .method = "DELETE",
             .run = operation<&remove_item<&list_by_key>>(),
             .urgent = true,
             .answers = sdk::shape::status()}};
}

}  // namespace stele::nodes
