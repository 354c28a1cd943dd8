#include "condition.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::access_policies {
namespace {

sdk::Json json(const char* text) {
    return sdk::parse_json(text).value();
}

/// A repository's node as conditions see it.
sdk::PolicySubject node() {
    sdk::PolicySubject subject;
    subject.type = "node";
    subject.reference = [] { return sdk::Result<std::string>("node://p/repo/branch/n1"); };
    subject.fields = [] {
        return sdk::Result<sdk::Json>(json(R"({"_doc":"n1","_type":"custom:article",
            "_qname":"o:n1","title":"Welcome","price":12,"active":true,"tags":["red","blue"],
            "nested":{"deep":"yes"},"_features":{"f:titled":{}},
            "_system":{"changeset":"7:abc"},"_paths":{"root":"/forged"}})"));
    };
    subject.paths = [] {
        return sdk::Result<std::vector<std::string>>(
            std::vector<std::string>{"/welcome/page1", "/second/page1"});
    };
    static const std::vector<std::string> kFacts{"path",       "changeset", "qname",
                                                 "type-qname", "feature",   "definition"};
    subject.facts = &kFacts;
    subject.stores = [] {
        return sdk::Result<std::vector<sdk::PolicySubject::Store>>(
            {{"branch", "branch", "master"}, {"repository", "repo", "Content"}});
    };
    return subject;
}

bool holds(const char* condition) {
    auto compiled = Condition::compile(json(condition), "c");
    REQUIRE(compiled.has_value());
    auto held = compiled->holds(node());
    REQUIRE(held.has_value());
    return *held;
}

TEST_CASE("conditions hold as the specification says") {
    struct Case {
        const char* condition;
        bool is_held;
    };
    const Case cases[] = {
        {R"({"type":"type","config":{"type":"^node.*"}})", true},
        {R"({"type":"type","config":{"type":"repository"}})", false},
        {R"({"type":"reference-matches","config":{"reference":"^node://p/repo/.*"}})", true},
        {R"({"type":"reference","config":{"id":"^client://.*"}})", false},
        {R"({"type":"qname","config":{"qname":"o:n1"}})", true},
        {R"({"type":"qname","config":{"qname":"r:root"}})", false},
        {R"({"type":"type-qname","config":{"qname":"custom:article"}})", true},
        {R"({"type":"feature","config":{"qname":"f:titled"}})", true},
        {R"({"type":"node-has-feature","config":{"qname":"f:other"}})", false},
        {R"({"type":"property","config":{"property":"title","value":"Wel.*"}})", true},
        {R"({"type":"property","config":{"property":"title","value":"Wel"}})", false},
        {R"({"type":"property","config":{"property":"price","value":12}})", true},
        {R"({"type":"property","config":{"property":"price","value":13}})", false},
        {R"({"type":"property","config":{"property":"active","value":true}})", true},
        {R"({"type":"property","config":{"property":"title","value":true}})", false},
        {R"({"type":"property","config":{"property":"tags","value":"blue"}})", true},
        {R"({"type":"property-matches","config":{"property":"nested.deep","value":"y.s"}})", true},
        {R"({"type":"property","config":{"property":"absent","value":".*"}})", false},
        {R"({"type":"path","config":{"path":"^/welcome.*"}})", true},
        {R"({"type":"path","config":{"path":"/welcome"}})", false},
        {R"({"type":"path-matches","config":{"path":"/second/.*"}})", true},
        {R"({"type":"path","config":{"path":"/forged"}})", false},
        {R"({"type":"changeset","config":{"id":"7:.*"}})", true},
        {R"({"type":"changeset","config":{"id":"7"}})", false},
        {R"({"type":"branch","config":{"title":"master"}})", true},
        {R"({"type":"branch","config":{"title":"other"}})", false},
        {R"({"type":"datastore","config":{"typeId":"repository","title":"Cont.*"}})", true},
        {R"({"type":"datastore","config":{"typeId":"vault"}})", false},
        {R"({"type":"definition"})", false},
    };
    for (const Case& one : cases) {
        INFO(one.condition);
        CHECK(holds(one.condition) == one.is_held);
    }
}

TEST_CASE("a condition on a store holds where all that it names is the same store's") {
    const char* right[]{R"("typeId":"repository")", R"("id":"repo")", R"("title":"Content")"};
    const char* wrong[]{R"("typeId":"branch")", R"("id":"branch")", R"("title":"master")"};
    const auto on_store = [](const std::string& members) {
        return holds((R"({"type":"datastore","config":{)" + members + "}}").c_str());
    };
    for (std::size_t one = 0; one < 3; ++one) {
        CHECK(on_store(right[one]));
        // Of the other store.
        CHECK(on_store(wrong[one]));
        for (std::size_t other = 0; other < 3; ++other) {
            if (one == other) continue;
            INFO(right[one] << " with " << wrong[other]);
            CHECK(on_store(std::string(right[one]) + "," + right[other]));
            CHECK_FALSE(on_store(std::string(right[one]) + "," + wrong[other]));
        }
    }
}

TEST_CASE("what a client wrote into a record of another family is no fact") {
    sdk::PolicySubject forged = node();
    forged.type = "uiconfig";
    forged.facts = &sdk::PolicySubject::no_facts();
    forged.paths = nullptr;
    for (const char* text : {R"({"type":"path","config":{"path":".*"}})",
                             R"({"type":"feature","config":{"qname":".*"}})",
                             R"({"type":"qname","config":{"qname":".*"}})",
                             R"({"type":"type-qname","config":{"qname":".*"}})",
                             R"({"type":"changeset","config":{"id":".*"}})"}) {
        INFO(text);
        auto compiled = Condition::compile(json(text), "c");
        REQUIRE(compiled.has_value());
        CHECK(compiled->holds(node()).value());
        CHECK_FALSE(compiled->holds(forged).value());
    }
}

TEST_CASE("nested conditions stand beside the type or inside config") {
    const char* yes = R"({"type":"type","config":{"type":"node"}})";
    const char* no = R"({"type":"type","config":{"type":"vault"}})";
    const auto combine = [](const char* type, std::string children, bool in_config) {
        children = R"("conditions":[)" + children + "]";
        if (in_config) children = R"("config":{)" + children + "}";
        return R"({"type":")" + std::string(type) + R"(",)" + children + "}";
    };
    for (const bool in_config : {false, true}) {
        const std::string both = std::string(yes) + "," + no;
        CHECK_FALSE(holds(combine("and", both, in_config).c_str()));
        CHECK(holds(combine("or", both, in_config).c_str()));
        CHECK_FALSE(holds(combine("not", yes, in_config).c_str()));
        CHECK(holds(combine("not", no, in_config).c_str()));
        CHECK(holds(combine("and", yes, in_config).c_str()));
    }
}

TEST_CASE("a broken condition is refused with the place of the fault") {
    struct Case {
        const char* condition;
        const char* path;
    };
    const Case cases[] = {
        {R"({"type":"property","config":{"property":"a","value":"(["}})", "c.config.value"},
        {R"({"type":"no-such","config":{}})", "c.type"},
        {R"({"config":{}})", "c.type"},
        {R"({"type":"type","config":{}})", "c.config"},
        {R"({"type":"type","config":7})", "c.config"},
        {R"({"type":"and","conditions":[]})", "c.conditions"},
        {R"({"type":"or","config":{"conditions":[{"type":"x"}]}})", "c.config.conditions.0.type"},
        {R"({"type":"type","config":{"type":[]}})", "c.config.type"},
        {R"("text")", "c"},
    };
    for (const Case& one : cases) {
        INFO(one.condition);
        auto compiled = Condition::compile(json(one.condition), "c");
        REQUIRE_FALSE(compiled.has_value());
        REQUIRE(compiled.error().violations.size() == 1);
        CHECK(compiled.error().violations.front().path == one.path);
    }
}

TEST_CASE("conditions nested without end are refused") {
    std::string condition = R"({"type":"type","config":{"type":"node"}})";
    for (int i = 0; i < 40; ++i) {
        condition = R"({"type":"not","conditions":[)" + condition + "]}";
    }
    CHECK_FALSE(Condition::compile(json(condition.c_str()), "c").has_value());
}

}  // namespace
}  // namespace stele::access_policies
