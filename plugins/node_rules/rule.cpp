#include "rule.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/members.hpp>

#include "binding.hpp"
#include "vocabulary.hpp"

namespace stele::node_rules {

namespace {

using sdk::Json;

constexpr char kTargetRepository[] = "targetRepositoryId";
constexpr char kTargetBranch[] = "targetBranchId";
/// Whoever writes waits for no rule, whatever this says.
constexpr char kAsynchronous[] = "asynchronous";

sdk::Error unfit_rule(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "node_rules.rule_unfit", problem);
}

/// The entries of a member that is an array of objects with a `type`; none where it is missing.
sdk::Result<std::vector<Json>> parts(const Json& node, const char* name, std::size_t most) {
    const auto found = node.find(name);
    if (found == node.end() || found->is_null()) return std::vector<Json>();
    const bool fits =
        found->is_array() && std::all_of(found->begin(), found->end(), [](const Json& part) {
            return part.is_object() && !sdk::text_member(part, "type").empty();
        });
    if (!fits) return unfit_rule(fmt::format("{} must be an array of objects with a type", name));
    if (found->size() > most)
        return unfit_rule(fmt::format("{} has {} entries, {} at most", name, found->size(), most));
    return found->get<std::vector<Json>>();
}

Json config_of(const Json& part) {
    const auto found = part.find("config");
    return found != part.end() && found->is_object() ? *found : Json::object();
}

sdk::Result<Condition> read_condition(const Json& part) {
    const std::string type = sdk::text_member(part, "type");
    if (type != kPropertyEquals) {
        return unfit_rule(fmt::format("the condition {} is not known here; {} is",
                                      sdk::shown_path(type), kPropertyEquals));
    }
    const Json config = config_of(part);
    Condition condition{sdk::text_member(config, "property"), config.value("value", Json())};
    if (condition.property.empty() || !config.contains("value"))
        return unfit_rule("the condition propertyEquals needs a property and a value");
    return condition;
}

sdk::Result<SyncAction> read_action(const Json& part) {
    const std::string type = sdk::text_member(part, "type");
    if (type != kSyncNode) {
        return unfit_rule(fmt::format("the action {} is not known here; {} is",
                                      sdk::shown_path(type), kSyncNode));
    }
    const Json config = config_of(part);
    for (const auto& [name, value] : config.items()) {
        const bool is_known =
            name == kTargetRepository || name == kTargetBranch || name == kAsynchronous;
        // Options that are off ask for nothing.
        if (is_known || value.is_null() || value == Json(false)) continue;
        return unfit_rule(fmt::format("the action syncNode has no {} here", sdk::shown_path(name)));
    }
    for (const char* const name : {kTargetRepository, kTargetBranch}) {
        const auto place = config.find(name);
        // What is no id must not count as missing: that would be another place.
        if (place != config.end() && !place->is_null() && !place->is_string())
            return unfit_rule(fmt::format("the action syncNode needs a text as its {}", name));
    }
    SyncAction action{sdk::text_member(config, kTargetRepository),
                      sdk::text_member(config, kTargetBranch)};
    if (action.branch.empty()) {
        return unfit_rule(
            "the action syncNode needs a targetBranchId, and where that lies in another "
            "repository a targetRepositoryId");
    }
    return action;
}

/// Null where there is none.
const Json* property_of(const Json& node, std::string_view property) {
    const auto whole = node.find(property);
    if (whole != node.end()) return &*whole;
    const Json* at = &node;
    while (at->is_object()) {
        const std::size_t end = property.find('.');
        const auto found = at->find(property.substr(0, end));
        if (found == at->end()) return nullptr;
        at = &*found;
        if (end == std::string_view::npos) return at;
        property.remove_prefix(end + 1);
    }
    return nullptr;
}

}  // namespace

sdk::Result<Rule> read_rule(const Json& node) {
    if (sdk::text_member(node, kType) != kRuleType)
        return unfit_rule(fmt::format("what is bound is no {}", kRuleType));
    auto conditions = parts(node, "conditions", kMaxConditions);
    if (!conditions) return conditions.error();
    auto actions = parts(node, "actions", kMaxActions);
    if (!actions) return actions.error();
    Rule rule;
    for (const Json& part : *conditions) {
        auto condition = read_condition(part);
        if (!condition) return condition.error();
        rule.conditions.push_back(std::move(*condition));
    }
    for (const Json& part : *actions) {
        auto action = read_action(part);
        if (!action) return action.error();
        rule.actions.push_back(std::move(*action));
    }
    if (rule.actions.empty()) return unfit_rule("the rule has no action");
    return rule;
}

sdk::Result<RuleVersion> read_rule_version(std::string_view text) {
    auto node = sdk::parse_json(text, {.depth = 200});
    if (!node) return node.error();
    if (text.size() > kMaxRuleBytes)
        return RuleVersion{author_of(*node),
                           unfit_rule(fmt::format("the rule has {} bytes, {} at most", text.size(),
                                                  kMaxRuleBytes))};
    return RuleVersion{author_of(*node), read_rule(*node)};
}

bool holds(const Rule& rule, const Json& node) {
    return std::all_of(rule.conditions.begin(), rule.conditions.end(),
                       [&node](const Condition& condition) {
                           const Json* const found = property_of(node, condition.property);
                           return found && *found == condition.value;
                       });
}

}  // namespace stele::node_rules
