#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::node_rules {

/// `propertyEquals`.
struct Condition {
    /// A member, or by a dotted path one of an object in it.
    std::string property;
    sdk::Json value;
};

/// `syncNode`.
struct SyncAction {
    /// Id; empty: the repository of the node.
    std::string repository;
    /// Id or alias.
    std::string branch;
};

/// What a rule node says. All conditions must hold.
struct Rule {
    std::vector<Condition> conditions;
    std::vector<SyncAction> actions;
};

/// `invalid` (`node_rules.rule_unfit`) for a node that asks for what this server does not know: the
/// message names the part. Of a rule that is not understood as a whole nothing is done.
sdk::Result<Rule> read_rule(const sdk::Json& node);

/// A version of a rule node.
struct RuleVersion {
    /// `domain/id` of whoever wrote it; empty where that was the server.
    std::string author;
    sdk::Result<Rule> rule;
};

/// Fails only where the text is no JSON. A rule that is too large is unfit.
sdk::Result<RuleVersion> read_rule_version(std::string_view text);

/// Each server keeps the rules that are at work in memory, and each job reads its own.
inline constexpr std::size_t kMaxRuleBytes = 64 * 1024;
/// Conditions of a rule, and actions.
inline constexpr std::size_t kMaxConditions = 100;
inline constexpr std::size_t kMaxActions = 20;

bool holds(const Rule& rule, const sdk::Json& node);

}  // namespace stele::node_rules
