#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Where a walk leads (docs/specification/nodes.md 16).
struct WalkPlan {
    /// By type; empty: every type in any direction.
    std::map<std::string, Direction> associations;
    /// Hops from the start; -1: however many.
    std::int64_t depth = 1;
    bool has_start = true;
    /// Types of the nodes that are told; empty: every type. Others are walked through.
    std::set<std::string> types;

    /// Of a `traverse` object; `invalid` naming the wrong member. `has_start` is what holds where
    /// the object has no `filter`.
    static sdk::Result<WalkPlan> read(const sdk::Json& traverse, bool has_start);
    sdk::Json json() const;
};

/// What a walk tells; false ends it.
struct WalkVisitor {
    std::function<sdk::Result<bool>(const sdk::Document& node)> node;
    /// Each association that the walk looked at between nodes that it reached. May be empty.
    std::function<sdk::Result<bool>(const Edge& edge)> association = {};
};

/// Bounds of a walk.
inline constexpr std::size_t kWalkedNodes = 100'000;
inline constexpr std::size_t kWalkedAssociations = 400'000;

/// Walks from a node outwards, each node once, the nearer ones first. What whoever acts may not
/// READ is as if it were not there. Answers the name of the bound that ended the walk early, empty
/// when none did.
sdk::Result<std::string> walk(const BranchContent& content, const sdk::Document& start,
                              const WalkPlan& plan, const WalkVisitor& visitor);

}  // namespace stele::nodes
