#include "graph/traversal.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kFilterAll[] = "ALL";
constexpr char kFilterWithoutStart[] = "ALL_BUT_START_NODE";
constexpr char kTraverse[] = "traverse";

const char* walk_direction_name(Direction direction) {
    switch (direction) {
        case Direction::outgoing:
            return "OUTGOING";
        case Direction::incoming:
            return "INCOMING";
        case Direction::mutual:
            return "MUTUAL";
        case Direction::any:
            break;
    }
    return "ANY";
}

sdk::Error wrong_member(const char* name, std::string_view problem) {
    return sdk::invalid_parameter(std::string(kTraverse) + "." + name, problem);
}

bool is_absent(const sdk::Json& object, const char* name) {
    const auto value = object.find(name);
    return value == object.end() || value->is_null();
}

sdk::Result<void> read_associations(const sdk::Json& traverse, WalkPlan& plan) {
    constexpr char kName[] = "associations";
    if (is_absent(traverse, kName)) return {};
    const sdk::Json& value = traverse.at(kName);
    if (value.is_array() && value.empty()) return {};
    if (!value.is_object()) return wrong_member(kName, "must map types to directions");
    for (const auto& [type, name] : value.items()) {
        const auto direction =
            name.is_string() ? find_direction(name.get_ref<const std::string&>()) : std::nullopt;
        if (!direction)
            return wrong_member(kName, "directions are ANY, INCOMING, OUTGOING and MUTUAL");
        if (!is_qname(type)) return wrong_member(kName, "types are QNames");
        plan.associations[type] = *direction;
    }
    return {};
}

sdk::Result<void> read_depth(const sdk::Json& traverse, WalkPlan& plan) {
    constexpr char kName[] = "depth";
    if (is_absent(traverse, kName)) return {};
    const auto depth = sdk::integer_member(traverse, kName);
    if (!depth || *depth < -1)
        return wrong_member(kName, "must be a whole number from 0, or -1 for every depth");
    plan.depth = *depth;
    return {};
}

sdk::Result<void> read_filter(const sdk::Json& traverse, WalkPlan& plan) {
    constexpr char kName[] = "filter";
    if (is_absent(traverse, kName)) return {};
    const std::string filter = sdk::text_member(traverse, kName);
    const bool is_all = sdk::equals_ignoring_case(filter, kFilterAll);
    if (!is_all && !sdk::equals_ignoring_case(filter, kFilterWithoutStart))
        return wrong_member(kName, "must be ALL or ALL_BUT_START_NODE");
    plan.has_start = is_all;
    return {};
}

sdk::Result<void> read_types(const sdk::Json& traverse, WalkPlan& plan) {
    constexpr char kName[] = "types";
    if (is_absent(traverse, kName)) return {};
    const sdk::Json& value = traverse.at(kName);
    const sdk::Json types = value.is_string() ? sdk::Json::array({value}) : value;
    if (!types.is_array() && !(types.is_object() && types.empty()))
        return wrong_member(kName, "must be an array of types");
    for (const sdk::Json& type : types) {
        if (!type.is_string() || !is_qname(type.get_ref<const std::string&>()))
            return wrong_member(kName, "must be an array of QNames");
        plan.types.insert(type.get<std::string>());
    }
    return {};
}

/// One walk. Level by level, so that a node is reached by the fewest hops.
class Walker {
public:
    Walker(const BranchContent& content, const WalkPlan& plan, const WalkVisitor& visitor)
        : content_(content), plan_(plan), visitor_(visitor) {}

    sdk::Result<std::string> run(const sdk::Document& start) {
        reached_.emplace(start.id, true);
        if (plan_.has_start) {
            if (auto told = tell(start); !told) return told.error();
        }
        std::vector<std::string> level{start.id};
        for (std::int64_t depth = 0; depth != plan_.depth && !level.empty(); ++depth) {
            std::vector<std::string> next;
            for (const std::string& node : level) {
                if (is_over_) return bound_;
                if (auto expanded = expand(node, next); !expanded) return expanded.error();
            }
            level = std::move(next);
        }
        return bound_;
    }

private:
    sdk::Result<void> tell(const sdk::Document& node) {
        const std::string type = sdk::text_member(node.fields, member::kType);
        if (!plan_.types.empty() && !plan_.types.contains(type)) return {};
        auto goes_on = visitor_.node(node);
        if (!goes_on) return goes_on.error();
        is_over_ = is_over_ || !*goes_on;
        return {};
    }

    void stop_at(const char* bound) {
        is_over_ = true;
        bound_ = bound;
    }

    sdk::Result<std::vector<Edge>> edges_of(const std::string& id) const {
        const std::size_t room = kWalkedAssociations + 1 - looked_at_;
        auto node = content_.node(id);
        if (!node) return node.error();
        if (plan_.associations.empty()) return content_.all_edges(*node, Direction::any, {}, room);
        std::vector<Edge> found;
        for (const auto& [type, direction] : plan_.associations) {
            auto some = content_.all_edges(*node, direction, type, room - found.size());
            if (!some) return some;
            found.insert(found.end(), std::make_move_iterator(some->begin()),
                         std::make_move_iterator(some->end()));
        }
        return found;
    }

    sdk::Result<void> expand(const std::string& node, std::vector<std::string>& next) {
        auto edges = edges_of(node);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            if (is_over_) return {};
            if (++looked_at_ > kWalkedAssociations) {
                stop_at("walked_associations");
                return {};
            }
            auto is_visible = reach(edge.other, next);
            if (!is_visible) return is_visible.error();
            if (!*is_visible || !visitor_.association || is_over_) continue;
            if (!associations_.insert(edge.association).second) continue;
            auto goes_on = visitor_.association(edge);
            if (!goes_on) return goes_on.error();
            is_over_ = !*goes_on;
        }
        return {};
    }

    /// Whether the node may be seen; a new one is told and is walked from next.
    sdk::Result<bool> reach(const std::string& id, std::vector<std::string>& next) {
        if (const auto known = reached_.find(id); known != reached_.end()) return known->second;
        auto node = sdk::if_readable(content_.context(), content_.node(id));
        if (!node) return node.error();
        if (*node && count_ == kWalkedNodes) {
            stop_at("walked_nodes");
            return false;
        }
        reached_.emplace(id, node->has_value());
        if (!*node) return false;
        ++count_;
        next.push_back(id);
        if (auto told = tell(**node); !told) return told.error();
        return true;
    }

    const BranchContent& content_;
    const WalkPlan& plan_;
    const WalkVisitor& visitor_;
    /// Nodes that were looked at, and whether they may be seen.
    std::unordered_map<std::string, bool> reached_;
    std::unordered_set<std::string> associations_;
    std::size_t count_ = 0;
    std::size_t looked_at_ = 0;
    bool is_over_ = false;
    std::string bound_;
};

}  // namespace

sdk::Result<WalkPlan> WalkPlan::read(const sdk::Json& traverse, bool has_start) {
    WalkPlan plan;
    plan.has_start = has_start;
    if (traverse.is_null() || (traverse.is_array() && traverse.empty())) return plan;
    if (!traverse.is_object()) return sdk::invalid_parameter(kTraverse, "must be an object");
    for (const auto read_member : {read_associations, read_depth, read_filter, read_types}) {
        if (auto read = read_member(traverse, plan); !read) return read.error();
    }
    return plan;
}

sdk::Json WalkPlan::json() const {
    sdk::Json config = {{"associations", sdk::Json::object()},
                        {"depth", depth},
                        {"filter", has_start ? kFilterAll : kFilterWithoutStart}};
    for (const auto& [type, direction] : associations)
        config["associations"][type] = walk_direction_name(direction);
    if (!types.empty()) config["types"] = types;
    return config;
}

sdk::Result<std::string> walk(const BranchContent& content, const sdk::Document& start,
                              const WalkPlan& plan, const WalkVisitor& visitor) {
    return Walker(content, plan, visitor).run(start);
}

}  // namespace stele::nodes
