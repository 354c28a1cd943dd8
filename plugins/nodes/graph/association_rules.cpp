#include "graph/association_rules.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/pace.hpp"
#include "branch/parameters.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"

namespace stele::nodes {

namespace {

bool is_containment(std::string_view type) {
    return type == association::kChild || type == association::kOwned;
}

/// The types along which no circle may close with one of this; none where circles are fine. A node
/// goes with its folder as with its owner, so both lead round the same circle.
sdk::Result<std::vector<std::string>> acyclic_types(const BranchContent& content,
                                                    const sdk::Document& association) {
    const std::string type = sdk::text_member(association.fields, member::kType);
    if (is_containment(type))
        return std::vector<std::string>{association::kChild, association::kOwned};
    if (has_feature(association.fields, feature::kNonCyclic)) return std::vector<std::string>{type};
    auto chain = definition_chain(content, type);
    if (!chain) return chain.error();
    const bool is_acyclic = std::any_of(chain->begin(), chain->end(), [](const auto& definition) {
        return has_feature(definition->fields, feature::kNonCyclic);
    });
    return is_acyclic ? std::vector<std::string>{type} : std::vector<std::string>{};
}

sdk::Result<bool> has_successor(const Graph& graph, const std::string& node,
                                const std::vector<std::string>& types) {
    bool found = false;
    for (const std::string& type : types) {
        auto walked = graph.for_each_edge(node, Direction::outgoing, type, [&](const Edge& edge) {
            found = edge.end == Direction::outgoing;
            return !found;
        });
        if (!walked) return walked.error();
        if (found) break;
    }
    return found;
}

/// Whether directed associations of the types lead from `top` down to `node`, looked for upwards:
/// there are fewer folders above a node than members below.
sdk::Result<bool> leads_to(const BranchContent& content, const std::string& top,
                           const std::string& node, const std::vector<std::string>& types) {
    auto* const above = content.changes().relations().above;
    const bool is_known = above != nullptr && above->node == node && above->type == types.front();
    if (is_known) return above->nodes.contains(top);
    const Graph graph = content.graph();
    Pace pace(content.context());
    sdk::Result<void> may_go_on;
    std::unordered_set<std::string> known{node};
    std::vector<std::string> reached{node};
    while (!reached.empty() && !known.contains(top)) {
        const std::string at = std::move(reached.back());
        reached.pop_back();
        for (const std::string& type : types) {
            auto walked = graph.for_each_edge(
                at, Direction::incoming, type, paced(pace, may_go_on, [&](const Edge& edge) {
                    const bool is_new =
                        edge.end == Direction::incoming && known.insert(edge.other).second;
                    if (is_new) reached.push_back(edge.other);
                    return known.size() <= kCircleNodes;
                }));
            if (!walked) return walked.error();
            if (!may_go_on) return may_go_on.error();
        }
        if (known.size() > kCircleNodes) {
            return sdk::make_error(
                sdk::ErrorKind::too_large, "nodes.circle_too_wide",
                fmt::format("more than {} nodes would have to be looked at for a circle",
                            kCircleNodes));
        }
    }
    const bool leads = known.contains(top);
    // Otherwise all are known.
    if (above != nullptr && !leads) *above = {node, types.front(), std::move(known)};
    return leads;
}

sdk::Result<void> check_no_circle(const BranchContent& content, const sdk::Document& association,
                                  const AssociationEnds& ends) {
    auto types = acyclic_types(content, association);
    if (!types) return types.error();
    if (types->empty()) return {};
    const Graph graph = content.graph();
    sdk::Result<bool> closes = ends.source == ends.target;
    if (!*closes) {
        // Nothing hangs on most nodes that are put somewhere.
        closes = has_successor(graph, ends.target, *types);
        if (closes && *closes) closes = leads_to(content, ends.target, ends.source, *types);
    }
    if (!closes) return closes.error();
    if (!*closes) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.association_circle",
                           fmt::format("associations of type {} lead from node {} to node {} "
                                       "already, and may not form a circle",
                                       ends.type, ends.target, ends.source));
}

sdk::Result<void> check_one_owner(const BranchContent& content, const AssociationEnds& ends) {
    if (ends.type != association::kOwned) return {};
    bool is_owned = false;
    auto walked = content.graph().for_each_edge(
        ends.target, Direction::incoming, ends.type, [&](const Edge& edge) {
            is_owned = edge.end == Direction::incoming && edge.other != ends.source;
            return !is_owned;
        });
    if (!walked) return walked;
    if (!is_owned) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "nodes.owner_taken",
                           fmt::format("node {} has an owner already", ends.target));
}

}  // namespace

sdk::Result<void> check_association_fits(const BranchContent& content,
                                         const sdk::Document& association) {
    const AssociationEnds ends = ends_of(association);
    if (ends.is_undirected) return {};
    if (auto sound = check_no_circle(content, association, ends); !sound) return sound;
    return check_one_owner(content, ends);
}

sdk::Result<void> check_end_unlocked(const BranchContent& content, const std::string& end) {
    auto lock = lock_of(content, end);
    if (!lock) return lock.error();
    if (!*lock) return {};
    auto node = content.node(end);
    if (!node && sdk::is_missing(node.error())) return {};
    if (!node) return node.error();
    return check_unlocked(content, *node);
}

sdk::Result<void> require_ends(const BranchContent& content, std::string_view type,
                               const sdk::Document* source, const sdk::Document* target) {
    const bool is_place = type == association::kChild;
    if (source != nullptr) {
        auto may = content.require(
            *source, is_place ? sdk::Permission::create_subobjects : sdk::Permission::update);
        if (!may) return may;
    }
    if (target == nullptr || !is_place) return {};
    return content.require(*target, sdk::Permission::update);
}

sdk::Result<void> check_ends_unlocked(const BranchContent& content,
                                      const sdk::Document& association) {
    if (content.changes().is_cascading()) return {};
    const AssociationEnds ends = ends_of(association);
    if (auto free = check_end_unlocked(content, ends.source); !free) return free;
    return check_end_unlocked(content, ends.target);
}

sdk::Result<void> check_association_type(std::string_view type, std::string_view parameter) {
    auto name = checked_type(std::string(type), parameter);
    if (!name) return name.error();
    if (type != association::kHasLock && type != association::kHasMount) return {};
    return sdk::make_error({{std::string(parameter), "nodes.association_reserved",
                             "locks are set by lock and unlock, mounts by mount and unmount"}});
}

}  // namespace stele::nodes
