#include "rule.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "binding.hpp"

namespace stele::node_rules {

namespace {

sdk::Json json(const char* text) {
    return *sdk::parse_json(text);
}

/// A rule with one condition on a property.
sdk::Json rule_on(const std::string& property, const sdk::Json& value) {
    sdk::Json rule = json(R"({"_type": "n:rule", "actions": [
        {"type": "syncNode", "config": {"targetRepositoryId": "r", "targetBranchId": "b"}}]})");
    rule["conditions"] = {
        {{"type", "propertyEquals"}, {"config", {{"property", property}, {"value", value}}}}};
    return rule;
}

bool holds_for(const sdk::Json& rule, const char* node) {
    const auto read = read_rule(rule);
    REQUIRE(read.has_value());
    return holds(*read, json(node));
}

std::string problem_of(const sdk::Json& rule) {
    const auto read = read_rule(rule);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == "node_rules.rule_unfit");
    return read.error().message;
}

}  // namespace

TEST_CASE("a property equals a value of the same kind only") {
    CHECK(holds_for(rule_on("state", "published"), R"({"state": "published"})"));
    CHECK_FALSE(holds_for(rule_on("state", "published"), R"({"state": "draft"})"));
    CHECK_FALSE(holds_for(rule_on("state", "published"), R"({})"));
    CHECK_FALSE(holds_for(rule_on("state", "published"), R"({"state": ["published"]})"));
    CHECK(holds_for(rule_on("size", 3), R"({"size": 3.0})"));
    CHECK_FALSE(holds_for(rule_on("size", 3), R"({"size": "3"})"));
    CHECK(holds_for(rule_on("is_ready", true), R"({"is_ready": true})"));
    CHECK_FALSE(holds_for(rule_on("is_ready", true), R"({"is_ready": 1})"));
    CHECK_FALSE(holds_for(rule_on("gone", nullptr), R"({})"));
    CHECK(holds_for(rule_on("gone", nullptr), R"({"gone": null})"));
    CHECK(holds_for(rule_on("list", {1, 2}), R"({"list": [1, 2]})"));
}

TEST_CASE("a dotted path leads into objects, and a member of that name comes first") {
    CHECK(holds_for(rule_on("a.b", 1), R"({"a": {"b": 1}})"));
    CHECK(holds_for(rule_on("a.b", 1), R"({"a.b": 1, "a": {"b": 2}})"));
    CHECK_FALSE(holds_for(rule_on("a.b", 1), R"({"a": 1})"));
    CHECK_FALSE(holds_for(rule_on("a.b", 1), R"({"a": [{"b": 1}]})"));
    CHECK_FALSE(holds_for(rule_on("a..b", 1), R"({"a": {"b": 1}})"));
    CHECK_FALSE(holds_for(rule_on("a.", 1), R"({"a": 1})"));
}

TEST_CASE("all conditions must hold, and none is no condition") {
    sdk::Json rule = rule_on("one", 1);
    rule["conditions"].push_back(
        {{"type", "propertyEquals"}, {"config", {{"property", "two"}, {"value", 2}}}});
    CHECK(holds_for(rule, R"({"one": 1, "two": 2})"));
    CHECK_FALSE(holds_for(rule, R"({"one": 1})"));
    CHECK_FALSE(holds_for(rule, R"({"two": 2})"));
    rule.erase("conditions");
    CHECK(holds_for(rule, R"({})"));
}

TEST_CASE("what is not known is named") {
    sdk::Json rule = rule_on("one", 1);
    rule["conditions"][0]["type"] = "or";
    CHECK(problem_of(rule).find("condition or is not known") != std::string::npos);
    rule = rule_on("one", 1);
    rule["actions"][0]["type"] = "sendEmail";
    CHECK(problem_of(rule).find("action sendEmail is not known") != std::string::npos);
    rule = rule_on("one", 1);
    rule["actions"][0]["config"]["delete"] = true;
    CHECK(problem_of(rule).find("no delete") != std::string::npos);
    rule["actions"][0]["config"]["delete"] = false;
    CHECK(read_rule(rule).has_value());
    rule["_type"] = "n:node";
    CHECK(problem_of(rule).find("no n:rule") != std::string::npos);
    rule = rule_on("one", 1);
    rule["actions"] = {"syncNode"};
    CHECK(problem_of(rule).find("actions must be an array") != std::string::npos);
}

TEST_CASE("a place that is no text is not another place") {
    for (const char* const name : {"targetRepositoryId", "targetBranchId"}) {
        CAPTURE(name);
        for (const sdk::Json& place : {sdk::Json(5), sdk::Json::object(), sdk::Json({"b"})}) {
            sdk::Json rule = rule_on("one", 1);
            rule["actions"][0]["config"][name] = place;
            CHECK(problem_of(rule).find(name) != std::string::npos);
        }
    }
    sdk::Json rule = rule_on("one", 1);
    rule["actions"][0]["config"]["targetRepositoryId"] = nullptr;
    CHECK(read_rule(rule).has_value());
}

TEST_CASE("a rule has bounds, and one beyond them is of its author all the same") {
    const sdk::Json part = rule_on("one", 1)["conditions"][0];
    sdk::Json rule = rule_on("one", 1);
    rule["conditions"] = std::vector<sdk::Json>(kMaxConditions, part);
    rule["actions"] = std::vector<sdk::Json>(kMaxActions, rule["actions"][0]);
    CHECK(read_rule(rule).has_value());
    rule["conditions"].push_back(part);
    CHECK(problem_of(rule).find("conditions has 101 entries") != std::string::npos);
    rule["conditions"].erase(0);
    rule["actions"].push_back(rule["actions"][0]);
    CHECK(problem_of(rule).find("actions has 21 entries") != std::string::npos);

    rule = rule_on("one", 1);
    rule["_system"] = {{"modified_by_principal_id", "u"}, {"modified_by_principal_domain_id", "d"}};
    rule["filler"] = "";
    rule["filler"] = std::string(kMaxRuleBytes - sdk::dump_json(rule).size(), 'x');
    for (const bool is_larger : {false, true}) {
        if (is_larger) rule["filler"] = rule["filler"].get<std::string>() + "x";
        const auto version = read_rule_version(sdk::dump_json(rule));
        REQUIRE(version.has_value());
        CHECK(version->author == "d/u");
        CHECK(version->rule.has_value() != is_larger);
    }
    CHECK(read_rule_version("{").has_error());
}

TEST_CASE("a binding has its policy and scope as members or in its feature") {
    const char* const good[] = {
        R"({"source": "s", "target": "t", "policy": "p:afterTouchNode", "scope": 1})",
        R"({"source": "s", "target": "t", "_features": {"f:behavior-binding":
            {"policy": "p:afterTouchNode", "scope": "1"}}})"};
    for (const char* const text : good) {
        const auto binding = read_binding(json(text));
        REQUIRE(binding.has_value());
        CHECK(binding->source == "s");
        CHECK(binding->rule == "t");
        CHECK(binding->is_of_type);
    }
    const char* const bad[] = {
        R"({"source": "s", "target": "t", "policy": "p:afterTouchNode"})",
        R"({"source": "s", "target": "t", "policy": "p:afterTouchNode", "scope": 2})",
        R"({"source": "s", "target": "t", "policy": "p:afterReadNode", "scope": 1})",
        R"({"source": "s", "target": "t", "scope": 1})"};
    for (const char* const text : bad) {
        const auto binding = read_binding(json(text));
        REQUIRE_FALSE(binding.has_value());
        CHECK(binding.error().code == "node_rules.binding_unfit");
    }
}

TEST_CASE("the server's own writes have no author") {
    CHECK(author_of(json(R"({"_system": {"modified_by_principal_id": "u",
        "modified_by_principal_domain_id": "d"}})")) == "d/u");
    CHECK(author_of(json(R"({"_system": {"modified_by_principal_id": "system",
        "modified_by_principal_domain_id": "system"}})"))
              .empty());
    CHECK(author_of(json(R"({})")).empty());
}

}  // namespace stele::node_rules
