#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "graph/association_rules.hpp"
#include "operation/node_rows.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"
#include "operation/relative_operations.hpp"

namespace stele::nodes {

namespace {

constexpr char kOtherNode[] = "node";
constexpr char kAssociationType[] = "type";

/// What `associate` and `unassociate` are asked for; the ends are ids.
struct WantedAssociation {
    sdk::Document target;
    std::string type;
    bool is_undirected = false;
};

sdk::Result<bool> wants_undirected(const sdk::Call& call) {
    const std::string text = text_parameter(call, member::kDirectionality);
    if (text.empty() || sdk::equals_ignoring_case(text, kDirected)) return false;
    if (sdk::equals_ignoring_case(text, kUndirected)) return true;
    return sdk::invalid_parameter(member::kDirectionality, "must be DIRECTED or UNDIRECTED");
}

/// A member `type` of the body is a property where it is no name of a type.
std::string wanted_type(const sdk::Call& call, const sdk::Json& properties) {
    std::string type = text_parameter(call, kAssociationType);
    const std::vector<std::string> names = call.parameter_names();
    const bool is_member = std::find(names.begin(), names.end(), kAssociationType) == names.end();
    if (is_member && type.find(':') == std::string::npos) type.clear();
    if (type.empty()) type = sdk::text_member(properties, member::kType);
    return type.empty() ? association::kLinked : type;
}

sdk::Result<WantedAssociation> wanted_association(const sdk::Call& call,
                                                  const BranchContent& content,
                                                  const sdk::Json& properties) {
    const std::string id = text_parameter(call, kOtherNode);
    if (id.empty()) return sdk::invalid_parameter(kOtherNode, "is missing");
    auto is_undirected = wants_undirected(call);
    if (!is_undirected) return is_undirected.error();
    const std::string type = wanted_type(call, properties);
    if (auto fine = check_association_type(type, kAssociationType); !fine) return fine.error();
    auto target = content.readable_node(id);
    if (!target) return target.error();
    return WantedAssociation{std::move(*target), type, *is_undirected};
}

AssociationEnds ends_of_wanted(const sdk::Document& source, const WantedAssociation& wanted) {
    return {.association = {},
            .type = wanted.type,
            .source = source.id,
            .target = wanted.target.id,
            .is_undirected = wanted.is_undirected};
}

/// The properties of a new association: the body without what was a parameter of the call.
sdk::Json properties_of(const sdk::Json& body, const WantedAssociation& wanted) {
    sdk::Json properties = body;
    for (const char* name :
         {"ok", "_doc", member::kSystem, member::kDirectionality, member::kSource, member::kTarget})
        properties.erase(name);
    if (sdk::text_member(properties, kAssociationType) == wanted.type)
        properties.erase(kAssociationType);
    if (sdk::text_member(properties, kOtherNode) == wanted.target.id) properties.erase(kOtherNode);
    return properties;
}

/// Whether an association says what is asked for.
bool says(const sdk::Json& association, const sdk::Json& properties) {
    for (const auto& [name, value] : properties.items()) {
        if (name == member::kType) continue;
        const auto present = association.find(name);
        if (present == association.end() || *present != value) return false;
    }
    return true;
}

/// Ids of the associations between two nodes. Looks from the end that has fewer.
sdk::Result<std::vector<std::string>> associations_between(const BranchContent& content,
                                                           const AssociationEnds& ends) {
    for (std::size_t limit = 64;; limit *= 8) {
        for (const bool from_source :
             {ends.type != association::kChild, ends.type == association::kChild}) {
            const Direction direction = ends.is_undirected ? Direction::mutual
                                        : from_source      ? Direction::outgoing
                                                           : Direction::incoming;
            const std::string& from = from_source ? ends.source : ends.target;
            const std::string& to = from_source ? ends.target : ends.source;
            auto edges = content.edges(from, direction, ends.type, limit);
            if (!edges) return edges.error();
            if (edges->size() == limit) continue;
            std::vector<std::string> found;
            for (const Edge& edge : *edges) {
                if (edge.end == direction && edge.other == to) found.push_back(edge.association);
            }
            return found;
        }
    }
}

/// The association that says the same already; nothing when there is none.
sdk::Result<std::optional<sdk::Document>> find_same(const BranchContent& content,
                                                    const AssociationEnds& ends,
                                                    const sdk::Json& properties) {
    auto between = associations_between(content, ends);
    if (!between) return between.error();
    for (const std::string& id : *between) {
        auto association = content.node(id);
        if (!association) return association.error();
        const bool is_same_way = ends_of(*association).source == ends.source;
        if (is_same_way && says(association->fields, properties))
            return std::optional<sdk::Document>(std::move(*association));
    }
    return std::optional<sdk::Document>();
}

sdk::Result<sdk::Reply> associate_nodes(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto body = read_object(call.body(), "body");
    if (!body) return body.error();
    auto wanted = wanted_association(call, *content, *body);
    if (!wanted) return wanted.error();
    const sdk::Document& source = call.record();
    if (is_association(source.fields) || is_association(wanted->target.fields)) {
        return sdk::make_error(
            {{kOtherNode, "nodes.end_is_association", "an association leads from node to node"}});
    }
    const AssociationEnds ends = ends_of_wanted(source, *wanted);
    sdk::Json properties = properties_of(*body, *wanted);
    auto same = find_same(*content, ends, properties);
    if (!same) return same.error();
    if (*same) return sdk::Reply::status((*same)->fields);
    auto made = content->associate({.source = ends.source,
                                    .target = ends.target,
                                    .type = ends.type,
                                    .is_undirected = ends.is_undirected,
                                    .fields = std::move(properties)});
    if (!made) return made.error();
    return sdk::Reply::status(made->fields);
}

sdk::Result<sdk::Reply> unassociate_nodes(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto body = read_object(call.body(), "body");
    if (!body) return body.error();
    auto wanted = wanted_association(call, *content, *body);
    if (!wanted) return wanted.error();
    auto between = associations_between(*content, ends_of_wanted(call.record(), *wanted));
    if (!between) return between.error();
    for (const std::string& association : *between) {
        auto gone = call.context().documents().remove(content->nodes(), association);
        if (!gone) return gone.error();
    }
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> association_page(Services& services, const sdk::Call& call,
                                         Direction direction) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto type = type_parameter(call, kAssociationType);
    if (!type) return type.error();
    auto found = visible_edges(*content, call.record(), direction, *type);
    if (!found) return found.error();
    const auto row = [&](std::size_t index) -> sdk::Result<sdk::Json> {
        auto association = content->association(found->edges[index]);
        if (!association) return association.error();
        return std::move(association->fields);
    };
    return page_of_rows(
        services, {.size = found->edges.size(), .row = row, .truncated_by = found->truncated_by},
        shown_query(call, sdk::Json::object()), call.page());
}

sdk::Result<sdk::Reply> list_associations(Services& services, const sdk::Call& call) {
    auto direction = read_direction(text_parameter(call, "direction"), "direction");
    if (!direction) return direction.error();
    return association_page(services, call, *direction);
}

template <Direction direction>
sdk::Result<sdk::Reply> list_one_direction(Services& services, const sdk::Call& call) {
    return association_page(services, call, direction);
}

}  // namespace

sdk::Actions node_association_actions() {
    const sdk::Parameter directionality{
        member::kDirectionality, false, sdk::FieldKind::text, {kDirected, kUndirected}};
    const sdk::Parameter direction{"direction", false, sdk::FieldKind::text, direction_names()};
    const std::vector<sdk::Parameter> ends{{kOtherNode, true}, {kAssociationType}, directionality};
    sdk::Actions actions{{.name = "associate",
                          .permission = sdk::Permission::update,
                          .run = operation<&associate_nodes>(),
                          .parameters = ends,
                          .body = sdk::BodyUse::record,
                          .takes = node_body(),
                          .answers = written_association()},
                         {.name = "unassociate",
                          .permission = sdk::Permission::update,
                          .run = operation<&unassociate_nodes>(),
                          .parameters = ends,
                          .urgent = true,
                          .answers = sdk::shape::status()},
                         {.name = "associations",
                          .method = "GET",
                          .run = operation<&list_associations>(),
                          .parameters = with_projection({{kAssociationType}, direction}),
                          .paged = true,
                          .answers = cut_page(association_shape())}};
    const auto add = [&actions](const char* name, auto run) {
        actions.push_back({.name = name,
                           .method = "GET",
                           .run = std::move(run),
                           .parameters = with_projection({{kAssociationType}}),
                           .paged = true,
                           .answers = cut_page(association_shape())});
    };
    add("incoming", operation<&list_one_direction<Direction::incoming>>());
    add("outgoing", operation<&list_one_direction<Direction::outgoing>>());
    add("mutual", operation<&list_one_direction<Direction::mutual>>());
    for (sdk::Action& action : node_relative_actions())
        actions.push_back(std::move(action));
    return actions;
}

}  // namespace stele::nodes
