#include "policy_statements.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::access_policies {
namespace {

sdk::Json parsed(const char* text) {
    return sdk::parse_json(text).value();
}

std::shared_ptr<const CompiledPolicy> policy(const char* fields) {
    auto compiled = compile_policy(parsed(fields));
    REQUIRE(compiled.has_value());
    return std::make_shared<const CompiledPolicy>(std::move(*compiled));
}

sdk::PolicySubject record_at(const std::string& path) {
    sdk::PolicySubject subject;
    subject.type = "node";
    subject.reference = [] { return sdk::Result<std::string>("node://p/r/b/n"); };
    static const std::vector<std::string> kFacts{"path"};
    subject.facts = &kFacts;
    subject.fields = [] { return sdk::Result<sdk::Json>(sdk::Json::object()); };
    subject.paths = [path] {
        return sdk::Result<std::vector<std::string>>(std::vector<std::string>{path});
    };
    subject.stores = [] { return sdk::Result<std::vector<sdk::PolicySubject::Store>>({}); };
    return subject;
}

sdk::PermissionSet permissions_of(std::string_view role) {
    const sdk::BuiltInRole* found = sdk::find_built_in_role(role);
    return found ? found->permissions : sdk::PermissionSet();
}

sdk::PolicySource::Given run(const std::vector<std::shared_ptr<const CompiledPolicy>>& policies,
                             const std::string& path) {
    auto given = run_statements(policies, record_at(path), permissions_of);
    REQUIRE(given.has_value());
    return *given;
}

const char* const kGrantAll =
    R"({"statements":[{"action":"grant","roles":["collaborator"],"conditions":[]}]})";
const char* const kOnlyWelcome = R"({"statements":[
    {"action":"revoke","roles":["consumer"],
     "conditions":[{"type":"path","config":{"path":"^/.*"}}]},
    {"action":"grant","roles":["consumer"],
     "conditions":[{"type":"path","config":{"path":"^/welcome.*"}}]}]})";

TEST_CASE("a later revoke of consumer defeats a collaborator that a policy gave") {
    const auto given = run({policy(kGrantAll), policy(kOnlyWelcome)}, "/other");
    CHECK_FALSE(given.permissions.has(sdk::Permission::read));
    CHECK_FALSE(given.permissions.has(sdk::Permission::connect));
    CHECK(given.roles.empty());
}

TEST_CASE("a grant after the revoke opens one branch of the tree again") {
    const auto given = run({policy(kGrantAll), policy(kOnlyWelcome)}, "/welcome/page");
    CHECK(given.permissions.has(sdk::Permission::read));
    CHECK(given.roles == std::vector<std::string>{"consumer"});
}

TEST_CASE("a revoke before the grant changes nothing") {
    const auto given = run({policy(kOnlyWelcome), policy(kGrantAll)}, "/other");
    CHECK(given.permissions.contains(permissions_of("collaborator")));
}

/// A node that came into the branch `fork` from `origin`.
sdk::PolicySubject inherited() {
    using Subject = sdk::PolicySubject;
    Subject subject = record_at("/x");
    subject.stores = [] {
        return sdk::Result<std::vector<Subject::Store>>(
            std::vector<Subject::Store>{{"branch", "fork", "Fork"}});
    };
    subject.origins = [] {
        return sdk::Result<std::vector<Subject::Origin>>(std::vector<Subject::Origin>{
            {"node://p/r/origin/n", {{"branch", "origin", "Origin"}}}});
    };
    return subject;
}

TEST_CASE(
    "a grant reaches what came from another branch where it holds there, too, or names the fork") {
    const auto reads = [](const std::string& statements) {
        const std::string fields = R"({"statements":[)" + statements + "]}";
        auto given = run_statements({policy(fields.c_str())}, inherited(), permissions_of);
        REQUIRE(given.has_value());
        return given->permissions.has(sdk::Permission::read);
    };
    const auto statement = [](const std::string& action, const std::string& config) {
        return R"({"action":")" + action + R"(","roles":["consumer"],"conditions":)" +
               R"([{"type":"branch","config":)" + config + "}]}";
    };
    const std::string all = R"({"action":"grant","roles":["consumer"]})";
    CHECK(reads(all));
    CHECK(reads(statement("grant", R"({"title":".*"})")));
    CHECK_FALSE(reads(statement("grant", R"({"title":"Origin"})")));
    CHECK_FALSE(reads(statement("grant", R"({"title":"Fork"})")));
    CHECK(reads(statement("grant", R"({"id":"fork"})")));
    CHECK_FALSE(reads(statement("grant", R"({"id":"origin"})")));
    for (const char* config : {R"({"title":"Origin"})", R"({"title":"Fork"})", R"({"id":"fork"})"})
        CHECK_FALSE(reads(all + "," + statement("revoke", config)));
}

TEST_CASE("a fact that cannot be read fails the evaluation") {
    sdk::PolicySubject subject = record_at("/x");
    subject.paths = []() -> sdk::Result<std::vector<std::string>> {
        return sdk::make_error(sdk::ErrorKind::conflict, "test.broken", "broken");
    };
    CHECK_FALSE(run_statements({policy(kGrantAll), policy(kOnlyWelcome)}, subject, permissions_of)
                    .has_value());
}

TEST_CASE("conditions are unfit where no family that the statement means has the fact") {
    const std::vector<sdk::PolicyFamily> families{
        {{"node", "association"}, {"path"}, {"repository", "branch", "node"}},
        {{"repository"}, {}, {"repository"}}};
    const auto unfit = [&families](const char* conditions) {
        const std::string fields = R"({"statements":[{"action":"grant","roles":[],"conditions":)" +
                                   std::string(conditions) + "}]}";
        return unfit_conditions(*policy(fields.c_str()), families).size();
    };
    CHECK(unfit(R"([{"type":"path","config":{"path":"/a"}}])") == 0);
    CHECK(unfit(R"([{"type":"type","config":{"type":"^node.*"}},
                    {"type":"path","config":{"path":"/a"}}])") == 0);
    CHECK(unfit(R"([{"type":"type","config":{"type":"^repository://.*"}},
                    {"type":"path","config":{"path":"/a"}}])") == 1);
    CHECK(unfit(R"([{"type":"type","config":{"type":"repository"}},
                    {"type":"not","conditions":[{"type":"branch","config":{"id":"a"}}]}])") == 1);
    CHECK(unfit(R"([{"type":"qname","config":{"qname":"a:b"}}])") == 1);
    CHECK(unfit(R"([{"type":"project","config":{"id":"a"}}])") == 1);
}

TEST_CASE("the role all stands for every role") {
    const auto all = policy(R"({"statements":[{"action":"grant","roles":["all"]}]})");
    CHECK(run({all}, "/x").permissions == sdk::PermissionSet::all());
    const auto none = policy(R"({"statements":[{"action":"revoke","roles":["all"]}]})");
    CHECK(run({all, none}, "/x").permissions.is_empty());
}

TEST_CASE("order is a number or its text and counts as 100000 when it is missing") {
    CHECK(policy(R"({"order":7})")->order == 7);
    CHECK(policy(R"({"order":"1000"})")->order == 1000);
    CHECK(policy(R"({})")->order == 100000);
}

TEST_CASE("every problem of the statements is reported with its path") {
    auto compiled = compile_policy(parsed(R"({"statements":[
        {"action":"give","roles":["consumer"]},
        {"action":"grant","roles":"consumer"},
        7,
        {"action":"revoke","roles":["a"],"conditions":[{"type":"type","config":{"type":"(["}}]}]})"));
    REQUIRE_FALSE(compiled.has_value());
    std::vector<std::string> paths;
    for (const auto& violation : compiled.error().violations)
        paths.push_back(violation.path);
    CHECK(paths == std::vector<std::string>{"statements.0.action", "statements.1.roles",
                                            "statements.2",
                                            "statements.3.conditions.0.config.type"});
}

std::string code_of(const sdk::Json& statements) {
    const auto compiled = compile_policy({{"statements", statements}});
    return compiled ? std::string() : compiled.error().violations.at(0).code;
}

sdk::Json statement_of(const sdk::Json& conditions, const sdk::Json& roles) {
    return {{"action", "grant"}, {"roles", roles}, {"conditions", conditions}};
}

TEST_CASE("a policy has a bound of statements, of roles and conditions, and of patterns") {
    const sdk::Json type = {{"type", "type"}, {"config", {{"type", "n"}}}};
    const sdk::Json role = "consumer";
    const sdk::Json none = sdk::Json::array();
    const auto code_with = [](const sdk::Json& conditions, const sdk::Json& roles) {
        return code_of(sdk::Json(1, statement_of(conditions, roles)));
    };
    constexpr auto kRefused = "access_policies.policy_too_large";
    CHECK(code_of(sdk::Json(200, statement_of(none, none))).empty());
    CHECK(code_of(sdk::Json(201, statement_of(none, none))) == kRefused);
    CHECK(code_with(sdk::Json(500, type), sdk::Json(500, role)).empty());
    CHECK(code_with(sdk::Json(500, type), sdk::Json(501, role)) == kRefused);
    const sdk::Json nested = {{"type", "or"}, {"conditions", sdk::Json(1000, type)}};
    CHECK(code_with(sdk::Json(1, nested), none) == kRefused);
    const sdk::Json heavy = {{"type", "path"}, {"config", {{"path", "a{0,1000}"}}}};
    CHECK(code_with(sdk::Json(8, heavy), none).empty());
    CHECK(code_with(sdk::Json(9, heavy), none) == kRefused);
}

}  // namespace
}  // namespace stele::access_policies
