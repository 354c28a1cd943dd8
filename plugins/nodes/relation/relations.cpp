#include "relation/relations.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/relation_elements.hpp"
#include "branch/vocabulary.hpp"
#include "relation/property_resolver.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

namespace {

using Structure = std::pair<std::string_view, const sdk::Json*>;

/// The objects and arrays that a node says, by name.
std::vector<Structure> structures_of(const sdk::Json& node) {
    std::vector<Structure> found;
    for (auto at = node.begin(); at != node.end(); ++at) {
        const std::string& name = at.key();
        if (!name.starts_with('_') && at->is_structured()) found.emplace_back(name, &*at);
    }
    std::sort(found.begin(), found.end(),
              [](const Structure& one, const Structure& other) { return one.first < other.first; });
    return found;
}

/// Members lie in their order, where each would be looked for among all.
bool have_same_structures(const sdk::Json& one, const sdk::Json& other) {
    const auto [ones, others] = std::pair(structures_of(one), structures_of(other));
    return std::equal(ones.begin(), ones.end(), others.begin(), others.end(),
                      [](const Structure& left, const Structure& right) {
                          return left.first == right.first && *left.second == *right.second;
                      });
}

bool has_new_type(const sdk::Json& before, const sdk::Json& after) {
    const std::string type = sdk::text_member(before, member::kType);
    return !type.empty() && type != sdk::text_member(after, member::kType);
}

/// Whether a write can concern properties that stand for associations, which are objects or arrays:
/// most writes need not ask for definitions. Nothing follows from what the server itself writes.
bool may_concern_relations(const BranchContent& content, const sdk::Json& before,
                           const sdk::Json& after) {
    Changes& changes = content.changes();
    if (changes.relations().are_in_step || changes.is_server_alone(content.context())) return false;
    if (!may_have_elements(before) && !may_have_elements(after)) return false;
    return has_new_type(before, after) || !have_same_structures(before, after);
}

/// What the first names and the second does not, in its order.
std::vector<std::string> named_by_first(const sdk::Json* first, const sdk::Json* second) {
    std::unordered_set<std::string> known;
    for (const sdk::Json* element : elements_of(second))
        known.insert(named_node(*element));
    std::vector<std::string> found;
    for (const sdk::Json* element : elements_of(first)) {
        std::string id = named_node(*element);
        if (!id.empty() && known.insert(id).second) found.push_back(std::move(id));
    }
    return found;
}

/// While it lives, circles from one node are looked for once.
class OneSource {
public:
    explicit OneSource(Changes::Relations& relations) : relations_(relations) {
        relations_.above = &above_;
    }
    ~OneSource() { relations_.above = nullptr; }
    OneSource(const OneSource&) = delete;
    OneSource& operator=(const OneSource&) = delete;

private:
    Changes::Relations& relations_;
    Changes::Relations::Above above_;
};

/// Makes associations of one node.
class Junction {
public:
    Junction(const BranchContent& content, const sdk::Document& node, bool is_new)
        : content_(content), node_(node), is_new_(is_new) {}

    sdk::Result<void> join_all(const Relator& relator, std::vector<std::string> targets) {
        if (targets.empty()) return {};
        // Whoever makes a node owns it.
        if (!is_new_) {
            if (auto may = content_.require(node_, sdk::Permission::update); !may)
                return of_property(relator.path, may.error());
            if (auto left = leave_joined(relator, targets); !left) return left;
        }
        const OneSource from_one(content_.changes().relations());
        for (const std::string& target : targets) {
            if (auto joined = join(relator, target); !joined) return joined;
        }
        return {};
    }

private:
    /// Takes targets away to which an association for the property leads already: one stays where
    /// an element is taken out while the definition is another one.
    sdk::Result<void> leave_joined(const Relator& relator, std::vector<std::string>& targets) {
        auto edges = edges_.find(relator.type);
        if (edges == edges_.end()) {
            auto found = content_.edges(node_.id, Direction::outgoing, relator.type);
            if (!found) return found.error();
            edges = edges_.emplace(relator.type, std::move(*found)).first;
        }
        const std::unordered_set<std::string> wanted(targets.begin(), targets.end());
        std::unordered_set<std::string> joined;
        for (const Edge& edge : edges->second) {
            if (edge.end != Direction::outgoing || !wanted.contains(edge.other)) continue;
            auto association = content_.node(edge.association);
            if (!association) return association.error();
            if (relation_path(association->fields) == relator.path) joined.insert(edge.other);
        }
        std::erase_if(targets, [&](const std::string& target) { return joined.contains(target); });
        return {};
    }

    sdk::Result<void> join(const Relator& relator, const std::string& target) {
        if (auto counted = count_relation(content_.changes()); !counted) return counted;
        auto readable = content_.readable_node(target);
        if (!readable) return of_property(relator.path, readable.error());
        auto joined = relate(content_, node_, *readable, relator.type, relator.path);
        return joined ? sdk::Result<void>() : of_property(relator.path, joined.error());
    }

    const BranchContent& content_;
    const sdk::Document& node_;
    const bool is_new_;
    /// As they were before, by type: many properties may have one.
    std::map<std::string, std::vector<Edge>> edges_;
};

/// What properties of a node name no more: by type of the associations, property and target.
using Parting = std::map<std::string, std::map<std::string, std::set<std::string>>>;

void add_parting(const Relator& relator, const sdk::Json* had, const sdk::Json* has,
                 Parting& parting) {
    for (std::string& target : named_by_first(had, has))
        parting[relator.type][relator.path].insert(std::move(target));
}

/// Removes associations of one node.
class Separation {
public:
    Separation(const BranchContent& content, const sdk::Document& node)
        : content_(content), node_(node) {}

    sdk::Result<void> part(const std::string& type, const Parting::mapped_type& gone) {
        auto edges = content_.edges(node_.id, Direction::outgoing, type);
        if (!edges) return edges.error();
        for (const Edge& edge : *edges) {
            const bool may_be_gone = edge.end == Direction::outgoing &&
                                     std::any_of(gone.begin(), gone.end(), [&](const auto& one) {
                                         return one.second.contains(edge.other);
                                     });
            if (!may_be_gone) continue;
            auto association = content_.node(edge.association);
            if (!association) return association.error();
            const std::string path = relation_path(association->fields);
            const auto found = gone.find(path);
            if (found == gone.end() || !found->second.contains(edge.other)) continue;
            if (auto removed = remove(edge); !removed) return of_property(path, removed.error());
        }
        return {};
    }

private:
    /// Locks hold for whoever may READ the target. Otherwise the association, which says no more
    /// than the element did, is the server's to remove: a refusal would tell of the target.
    sdk::Result<void> remove(const Edge& edge) {
        Changes& changes = content_.changes();
        const Raised in_step(changes.relations().are_in_step);
        auto is_readable = reads(edge.other);
        if (!is_readable) return is_readable.error();
        sdk::Context& context = content_.context();
        if (*is_readable) return context.documents().remove(content_.nodes(), edge.association);
        const ServersOwn own(changes);
        return context.as_system().documents().remove(content_.nodes(), edge.association);
    }

    sdk::Result<bool> reads(const std::string& target) {
        const auto known = readable_.find(target);
        if (known != readable_.end()) return known->second;
        auto found = content_.readable_node(target);
        if (!found && !sdk::is_missing(found.error())) return found.error();
        readable_[target] = found.has_value();
        return found.has_value();
    }

    const BranchContent& content_;
    const sdk::Document& node_;
    std::map<std::string, bool> readable_;
};

/// Of a type that the node no longer has.
sdk::Result<void> add_former(const BranchContent& content, const sdk::Json& before,
                             const std::vector<Relator>& present, Parting& parting) {
    auto former = relators_of(content, before);
    if (!former) return former.error();
    for (const Relator& relator : *former) {
        const bool stays = std::any_of(present.begin(), present.end(), [&](const Relator& one) {
            return one.path == relator.path && one.type == relator.type;
        });
        if (!stays) add_parting(relator, property_at(before, relator.path), nullptr, parting);
    }
    return {};
}

}  // namespace

sdk::Result<void> resolve_relations(const BranchContent& content, const sdk::Json* before,
                                    sdk::Json& after, sdk::Violations& violations) {
    const sdk::Json none = sdk::Json::object();
    const sdk::Json& former = before ? *before : none;
    const bool comes_back = content.changes().relations().come_back;
    std::string& unrelated = content.changes().relations().unrelated_type;
    unrelated.clear();
    if (comes_back || !may_concern_relations(content, former, after)) return {};
    auto relators = relators_of(content, after);
    if (!relators) return relators.error();
    if (relators->empty()) unrelated = sdk::text_member(after, member::kType);
    NamedTargets targets(content);
    for (const Relator& relator : *relators) {
        sdk::Json* const value = property_at(after, relator.path);
        const sdk::Json* const had = property_at(former, relator.path);
        const bool is_same = value != nullptr && had != nullptr && *value == *had;
        if (value == nullptr || is_same) continue;
        PropertyResolver resolver(targets, relator, had, violations);
        if (auto resolved = resolver.resolve(*value); !resolved) return resolved;
    }
    return {};
}

sdk::Result<void> sync_relations(const BranchContent& content, const sdk::Json* before,
                                 const sdk::Document& after) {
    const sdk::Json none = sdk::Json::object();
    const sdk::Json& former = before ? *before : none;
    if (!may_concern_relations(content, former, after.fields)) return {};
    const bool is_retyped = has_new_type(former, after.fields);
    const bool is_known_unrelated = sdk::text_member(after.fields, member::kType) ==
                                    content.changes().relations().unrelated_type;
    if (is_known_unrelated && !is_retyped) return {};
    auto relators = relators_of(content, after.fields);
    if (!relators) return relators.error();
    Parting parting;
    for (const Relator& relator : *relators) {
        add_parting(relator, property_at(former, relator.path),
                    property_at(after.fields, relator.path), parting);
    }
    if (is_retyped) {
        if (auto added = add_former(content, former, *relators, parting); !added) return added;
    }
    Separation separation(content, after);
    for (const auto& [type, gone] : parting) {
        if (auto parted = separation.part(type, gone); !parted) return parted;
    }
    if (content.changes().relations().come_back) return {};
    Junction junction(content, after, before == nullptr);
    for (const Relator& relator : *relators) {
        auto named = named_by_first(property_at(after.fields, relator.path),
                                    property_at(former, relator.path));
        auto joined = junction.join_all(relator, std::move(named));
        if (!joined) return joined;
    }
    return {};
}

}  // namespace stele::nodes
