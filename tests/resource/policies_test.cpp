#include <catch2/catch.hpp>

#include "plugins/access_policies/access_policy.hpp"
#include "plugins/access_policies/policy_evaluator.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

/// What the family works with; made before the services, and outlives them.
struct PolicyParts {
    access_policies::PolicyEvaluator evaluator;
    TestDirectory people;
};

std::vector<std::unique_ptr<sdk::Resource>> policy_family(PolicyParts& parts) {
    std::vector<std::unique_ptr<sdk::Resource>> families;
    families.push_back(
        std::make_unique<access_policies::AccessPolicy>(parts.evaluator, parts.people));
    return families;
}

/// A user who may edit a library by an assigned policy.
struct Policed : PolicyParts, ResourceFixture {
    Policed() : ResourceFixture(policy_family(*this)) {
        services.authorities.set_policy_source(&evaluator);
        services.authority_cache.watch(evaluator);
        policy = make_policy("grant", "editor");
        ask("/" + policy + "/assign?ref=" + reference);
    }

    std::string make_policy(const std::string& action, const std::string& role) {
        const sdk::Json statements = {{{"action", action}, {"roles", {role}}}};
        return json(system(), "POST", "/access/policies", {{"statements", statements}})
            .at("_doc")
            .get<std::string>();
    }
    void ask(const std::string& path) { json(system(), "POST", "/access/policies" + path); }

    sdk::SessionPtr user = make_user("user");
    std::string reference = "reader://" + platform().id + "/user";
    sdk::RecordKey library = create({"library", ""}, {{"_doc", "north"}, {"secret", "7"}});
    std::string policy;
};

}  // namespace

TEST_CASE_METHOD(Policed, "a write conflicts with whatever changes the policies that allowed it") {
    const std::string path = "/access/policies/" + policy;
    const std::string revoking = make_policy("revoke", "editor");
    json(user, "GET", "/libraries/north");
    const auto write = begin(user, "PUT", "/libraries/north", {{"secret", "mine"}});
    REQUIRE(write->run().has_value());
    SECTION("an end of the assignment") {
        ask("/" + policy + "/unassign?ref=" + reference);
    }
    SECTION("an end of all assignments") {
        ask("/unassignall?ref=" + reference);
    }
    SECTION("an assignment that revokes") {
        ask("/" + revoking + "/assign?ref=" + reference);
    }
    SECTION("another policy text") {
        json(system(), "PUT", path, {{"statements", sdk::Json::array()}});
    }
    SECTION("the policy's removal") {
        json(system(), "DELETE", path);
    }
    const auto committed = write->commit();
    REQUIRE_FALSE(committed.has_value());
    CHECK(committed.error().code == "engine.conflict");
    const auto again = request(user, "PUT", "/libraries/north", {{"secret", "mine"}});
    CHECK_FALSE(again.has_value());
}

TEST_CASE_METHOD(Policed, "a write conflicts with joining a group for which policies hold") {
    const auto group = make_user("group");
    ask("/" + make_policy("revoke", "editor") + "/assign?ref=reader://" + platform().id + "/group");
    const auto plain_group = make_user("plain");
    json(user, "GET", "/libraries/north");
    const auto write = begin(user, "PUT", "/libraries/north", {{"secret", "mine"}});
    REQUIRE(write->run().has_value());
    const bool is_policed = GENERATE(true, false);
    as_system([&](sdk::Context& context) {
        return context.authorities().add_member((is_policed ? group : plain_group)->principal.key,
                                                user->principal.key, sdk::PrincipalKind::user);
    });
    // The decision was remembered, so the write has not read any membership itself.
    CHECK(write->commit().has_value() == !is_policed);
}

TEST_CASE_METHOD(Policed, "a policy's decision is that of the state that a request reads") {
    json(system(), "PUT", "/access/policies/" + policy,
         {{"statements",
           {{{"action", "grant"},
             {"roles", {"consumer"}},
             {"conditions",
              {{{"type", "property"},
                {"config", {{"property", "level"}, {"value", "public"}}}}}}}}}});
    const auto early = begin(user, "GET", "/libraries/north");
    json(system(), "PUT", "/libraries/north", {{"level", "public"}});
    CHECK(json(user, "GET", "/libraries/north").at("level") == "public");
    CHECK_FALSE(early->run().has_value());
    const auto late = begin(user, "GET", "/libraries/north");
    json(system(), "PUT", "/libraries/north", {{"level", "secret"}, {"secret", "8"}});
    CHECK(late->run().has_value());
    CHECK_FALSE(request(user, "GET", "/libraries/north").has_value());
}

}  // namespace stele::kernel::resource::testing
