#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "relation/relators.hpp"

namespace stele::nodes {

/// Nodes that one property may name.
inline constexpr std::size_t kMaxElements = 500;

/// Finds the nodes that a write makes a property name newly, and fills its elements in. What it
/// named before, in whatever way, is not looked up and tells what it told; what was no name of a
/// node before keeps nobody from writing.
class PropertyResolver {
public:
    /// `former` is what the property said; null where it was not there. All outlive the resolver.
    PropertyResolver(const BranchContent& content, const Relator& relator, const sdk::Json* former,
                     sdk::Violations& violations);

    /// Problems are violations: `nodes.relations_exceeded`, `nodes.relation_malformed`,
    /// `nodes.relation_unknown` for what whoever acts may not READ, too, and
    /// `nodes.relation_unfit` for a node of another type. What is neither an object nor an array
    /// stands for nothing.
    sdk::Result<void> resolve(sdk::Json& value);

private:
    void add_problem(const std::string& place, const char* code, std::string_view problem);
    sdk::Result<void> exceeded();
    sdk::Result<void> resolve_element(sdk::Json& element, const std::string& place);
    sdk::Result<bool> fits(const std::string& type);
    sdk::Result<void> fill_in(const sdk::Document& target, sdk::Json& element);

    const BranchContent& content_;
    const Relator& relator_;
    sdk::Violations& violations_;
    std::unordered_map<std::string, const sdk::Json*> named_before_;
    std::size_t size_before_ = 0;
    std::size_t looked_up_ = 0;
    /// Elements that named nothing and that the value may still have.
    std::size_t nameless_before_ = 0;
    /// By type: what that extends is not looked up for each element.
    std::unordered_map<std::string, bool> fitting_types_;
    std::string address_;
};

/// What stands before its id in the reference of a node of the branch.
sdk::Result<std::string> node_address(const BranchContent& content);

}  // namespace stele::nodes
