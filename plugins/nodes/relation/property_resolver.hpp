#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "branch/pace.hpp"
#include "relation/named_targets.hpp"
#include "relation/relators.hpp"

namespace stele::nodes {

/// Nodes that one property may name.
inline constexpr std::size_t kMaxElements = 500;

/// Finds the nodes that a write makes a property name newly, and fills its elements in. What it
/// named before, in whatever way, is not looked up and tells what it told, each element once: one
/// more of that name is new, as what was told may be long. What was no name of a node before keeps
/// nobody from writing.
class PropertyResolver {
public:
    /// `former` is what the property said; null where it was not there. All outlive the resolver.
    PropertyResolver(NamedTargets& targets, const Relator& relator, const sdk::Json* former,
                     sdk::Violations& violations);

    /// Problems are violations: `nodes.relations_exceeded`, `nodes.relation_malformed`,
    /// `nodes.relation_unknown` for what whoever acts may not READ, too, and
    /// `nodes.relation_unfit` for a node of another type. What is neither an object nor an array
    /// stands for nothing.
    sdk::Result<void> resolve(sdk::Json& value);

private:
    void add_problem(const std::string& place, const char* code, std::string_view problem);
    void add_exceeded(std::string_view problem);
    sdk::Result<void> resolve_element(sdk::Json& element, const std::string& place);
    sdk::Result<void> resolve_new(const std::string& id, sdk::Json& element,
                                  const std::string& place);
    /// The next one that named the node before; null where there is none left.
    const sdk::Json* take_former(const std::string& id);

    /// In their order.
    struct Former {
        std::vector<const sdk::Json*> elements;
        std::size_t taken = 0;
    };

    NamedTargets& targets_;
    const Relator& relator_;
    sdk::Violations& violations_;
    Pace pace_;
    std::unordered_map<std::string, Former> named_before_;
    bool is_full_ = false;
    bool is_exceeded_ = false;
    /// Elements that named nothing and that the value may still have.
    std::size_t nameless_before_ = 0;
};

}  // namespace stele::nodes
