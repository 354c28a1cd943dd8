#include <nlohmann/json.hpp>

#include "branch/branch_content.hpp"
#include "graph/traversal.hpp"
#include "operation/find_operations.hpp"
#include "operation/node_rows.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

/// A traversal is answered in one piece.
constexpr std::size_t kTraversalBytes = 64u << 20;

/// The two maps of the reply, as text: with so many members objects would be slow to build.
struct TraversalText {
    std::string nodes;
    std::string associations;
    std::uint64_t node_count = 0;

    bool has_room() const { return nodes.size() + associations.size() < kTraversalBytes; }

    static void add(std::string& map, const std::string& id, const sdk::Json& record) {
        if (!map.empty()) map.push_back(',');
        sdk::append_json_string(map, id);
        map.push_back(':');
        map.append(sdk::dump_json(record));
    }
};

std::string traversal_reply(const std::string& start, const WalkPlan& plan,
                            const TraversalText& text, const std::string& bound) {
    const sdk::Json head = {
        {"node", start}, {"config", plan.json()}, {"node_count", text.node_count}};
    std::string reply = sdk::dump_json(head);
    reply.pop_back();
    reply.append(R"(,"nodes":{)").append(text.nodes);
    reply.append(R"(},"associations":{)").append(text.associations).append("}");
    if (!bound.empty()) {
        reply.append(R"(,"truncated":true,"bound":)");
        sdk::append_json_string(reply, bound);
    }
    return reply + '}';
}

sdk::Result<sdk::Reply> traverse_node(Services& services, const sdk::Call& call) {
    auto body = read_object(call.body(), "body");
    if (!body) return body.error();
    const auto traverse = body->find("traverse");
    auto plan = WalkPlan::read(traverse == body->end() ? sdk::Json() : *traverse, true);
    if (!plan) return plan.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    TraversalText text;
    const auto add_node = [&](const sdk::Document& node) -> sdk::Result<bool> {
        TraversalText::add(text.nodes, node.id, node.fields);
        ++text.node_count;
        return text.has_room();
    };
    const auto add_association = [&](const Edge& edge) -> sdk::Result<bool> {
        auto association = content->association(edge);
        if (!association) return association.error();
        TraversalText::add(text.associations, edge.association, association->fields);
        return text.has_room();
    };
    auto bound =
        walk(*content, call.record(), *plan, {.node = add_node, .association = add_association});
    if (!bound) return bound.error();
    if (bound->empty() && !text.has_room()) *bound = "traversal_bytes";
    return sdk::Reply::json_text(traversal_reply(call.record().id, *plan, text, *bound));
}

sdk::Shape walked() {
    using sdk::shape::integer;
    using sdk::shape::map;
    using sdk::shape::object;
    using sdk::shape::text;
    const sdk::Shape config = object({{"associations", map(text(direction_names()))},
                                      {"depth", integer()},
                                      {"filter", text()},
                                      sdk::shape::optional("types", sdk::shape::array(text()))});
    return cut(object({{"node", text()},
                       {"config", config},
                       {"node_count", integer()},
                       {"nodes", map(node_shape())},
                       {"associations", map(association_shape())}}));
}

sdk::Shape wanted_walk() {
    return sdk::shape::object({sdk::shape::optional("traverse", walk_shape())});
}

}  // namespace

sdk::Actions node_traversal_actions() {
    sdk::Actions actions{{.name = "traverse",
                          .run = operation<&traverse_node>(),
                          .slow = true,
                          .takes = wanted_walk(),
                          .answers = walked()}};
    for (sdk::Action& action : node_find_actions())
        actions.push_back(std::move(action));
    return actions;
}

}  // namespace stele::nodes
