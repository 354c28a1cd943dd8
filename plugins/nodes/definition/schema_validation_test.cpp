// What a branch that validates its content refuses, and that no schema can hold a server up.
#include "definition/schema_validation.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::nodes {

namespace {

using sdk::Json;

SchemaParts parts_of(const char* text) {
    SchemaParts parts;
    const Json definitions = Json::parse(text);
    for (const auto& [qname, schema] : definitions.items()) {
        SchemaPart part{schema, {qname}};
        for (std::string parent = schema.value("_parent", ""); definitions.contains(parent);
             parent = definitions[parent].value("_parent", ""))
            part.chain.push_back(parent);
        parts.emplace(qname, std::move(part));
    }
    return parts;
}

sdk::Violations problems(const char* definitions, const char* instance,
                         const std::string& qname = "t:it") {
    sdk::Violations violations;
    const Json document = Json::parse(instance);
    const SchemaParts parts = parts_of(definitions);
    check_schema(schema_document(parts, qname, document), document, "", violations);
    return violations;
}

std::vector<std::string> paths(const sdk::Violations& violations) {
    std::vector<std::string> found;
    for (const sdk::Violation& violation : violations)
        found.push_back(violation.path);
    return found;
}

/// Kilobytes that the process has had at most.
long peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

std::string only_code(const sdk::Violations& violations) {
    REQUIRE(violations.size() == 1);
    return violations.front().code;
}

}  // namespace

TEST_CASE("every problem of a document is named with its path") {
    const auto found =
        problems(R"({"t:it": {"type": "object", "required": ["title"], "properties": {
        "title": {"type": "string"}, "price": {"type": "number", "minimum": 0},
        "lines": {"type": "array", "items": {"type": "object",
            "properties": {"count": {"type": "integer"}}}}}}})",
                 R"({"price": -1, "lines": [{"count": 1}, {"count": "x"}]})");
    CHECK(found.size() == 3);
    const auto at = paths(found);
    CHECK(std::count(at.begin(), at.end(), "price") == 1);
    CHECK(std::count(at.begin(), at.end(), "lines.1.count") == 1);
    CHECK(std::count(at.begin(), at.end(), "") == 1);
    for (const sdk::Violation& violation : found)
        CHECK(violation.code == "nodes.schema_violated");
}

TEST_CASE("schemas of drafts 3, 4 and 7 are understood") {
    struct Case {
        const char* schema;
        const char* good;
        const char* bad;
    };
    const std::vector<Case> cases{
        {R"({"t:it": {"properties": {"a": {"required": true}}}})", R"({"a": 1})", R"({})"},
        {R"({"t:it": {"required": ["a"]}})", R"({"a": 1})", R"({})"},
        {R"({"t:it": {"properties": {"a": {"minimum": 1, "exclusiveMinimum": true}}}})",
         R"({"a": 2})", R"({"a": 1})"},
        {R"({"t:it": {"properties": {"a": {"minimum": 1, "exclusiveMinimum": false}}}})",
         R"({"a": 1})", R"({"a": 0})"},
        {R"({"t:it": {"properties": {"a": {"exclusiveMaximum": 5}}}})", R"({"a": 4})",
         R"({"a": 5})"},
        {R"({"t:it": {"properties": {"a": {"divisibleBy": 3}}}})", R"({"a": 9})", R"({"a": 10})"},
        {R"({"t:it": {"properties": {"a": {"type": "any"}}, "additionalProperties": false}})",
         R"({"a": [1]})", R"({"b": 1})"},
        {R"({"t:it": {"properties": {"a": {"const": "x"}}}})", R"({"a": "x"})", R"({"a": "y"})"},
        {R"({"t:it": {"properties": {"a": {"pattern": "^b+$"}}}})", R"({"a": "bb"})",
         R"({"a": "bc"})"},
        {R"({"t:it": {"properties": {"a": {"pattern": "b+"}}}})", R"({"a": "abc"})",
         R"({"a": "ac"})"},
        {R"({"t:it": {"properties": {"a": {"format": "date"}}}})", R"({"a": "2024-02-29"})",
         R"({"a": "yesterday"})"},
        {R"({"t:it": {"patternProperties": {"^n": {"type": "number"}},
             "additionalProperties": false}})",
         R"({"n1": 1, "n2": 2})", R"({"n1": 1, "m": 2})"},
        {R"({"t:it": {"patternProperties": {"^n": {"type": "number"}}}})", R"({"n1": 1})",
         R"({"n1": "1"})"},
        {R"({"t:it": {"properties": {"a": {"uniqueItems": true}}}})", R"({"a": [1, 2]})",
         R"({"a": [1, 1]})"},
        {R"({"t:it": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}})", R"({"b": 1})",
         R"({"c": 1})"},
        {R"({"t:it": {"dependencies": {"a": ["b"]}}})", R"({"a": 1, "b": 2})", R"({"a": 1})"},
        {R"({"t:it": {"definitions": {"n": {"type": "number"}},
             "properties": {"a": {"$ref": "#/definitions/n"}}}})",
         R"({"a": 1})", R"({"a": "1"})"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.schema);
        CHECK(problems(one.schema, one.good).empty());
        const sdk::Violations found = problems(one.schema, one.bad);
        CHECK(!found.empty());
        for (const sdk::Violation& violation : found)
            CHECK(violation.code == "nodes.schema_violated");
    }
}

TEST_CASE("a definition extends others and refers to others") {
    const char* definitions = R"({
        "t:base": {"properties": {"a": {"type": "string"}}, "required": ["a"]},
        "t:it": {"_parent": "t:base", "properties": {"who": {"$ref": "qname://t:author"}}},
        "t:author": {"_parent": "t:base", "properties": {"age": {"type": "integer"}}}})";
    CHECK(problems(definitions, R"({"a": "x", "who": {"a": "y", "age": 3}})").empty());
    CHECK(paths(problems(definitions, R"({"a": 1})")) == std::vector<std::string>{"a"});
    CHECK(paths(problems(definitions, R"({"a": "x", "who": {"a": "y", "age": "old"}})")) ==
          std::vector<std::string>{"who.age"});
    CHECK(paths(problems(definitions, R"({"a": "x", "who": {}})")) ==
          std::vector<std::string>{"who"});
}

TEST_CASE("a schema may describe trees") {
    const char* tree = R"({"t:it": {"type": "object", "properties": {
        "name": {"type": "string"}, "inner": {"type": "array", "items": {"$ref": "#"}}}}})";
    CHECK(problems(tree, R"({"inner": [{"name": "x"}, {"inner": [{"name": "y"}]}]})").empty());
    CHECK(paths(problems(tree, R"({"inner": [{"inner": [{"name": 1}]}]})")) ==
          std::vector<std::string>{"inner.0.inner.0.name"});
}

TEST_CASE("a faulty schema is told from a faulty document") {
    for (const char* schema :
         {R"({"t:it": {"type": "wrong"}})", R"({"t:it": {"pattern": "("}})",
          R"({"t:it": {"pattern": 1}})", R"({"t:it": {"properties": []}})",
          R"({"t:it": {"required": "a"}})", R"({"t:it": {"enum": 1}})",
          R"({"t:it": {"properties": {"a": 1}}})", R"({"t:it": {"patternProperties": {"(": {}}}})",
          R"({"t:it": {"$ref": "qname://t:nowhere"}})",
          R"({"t:it": {"$ref": "#/definitions/nowhere"}})",
          R"({"t:it": {"$ref": "http://somewhere/else.json"}})", R"({"t:it": {"minLength": "x"}})",
          R"({"t:it": {"items": 3}})"}) {
        CAPTURE(schema);
        CHECK(only_code(problems(schema, "{}")) == "nodes.definition_faulty");
    }
}

TEST_CASE("a schema that leads back to itself ends") {
    CHECK(only_code(problems(R"({"t:it": {"allOf": [{"$ref": "#"}]}})", "{}")) ==
          "nodes.schema_too_costly");
    CHECK(only_code(problems(R"({"t:it": {"$ref": "qname://t:b"}, "t:b": {"$ref": "t:it"}})",
                             "{}")) == "nodes.schema_too_costly");
    CHECK(only_code(problems(R"({"t:it": {"anyOf": [{"properties": {"x": {"$ref": "#"}}},
        {"properties": {"x": {"$ref": "#"}}}], "required": ["nothing"]}})",
                             [] {
                                 static std::string deep;
                                 for (int i = 0; i < 60; ++i)
                                     deep += R"({"x":)";
                                 deep += "1" + std::string(60, '}');
                                 return deep.c_str();
                             }())) == "nodes.schema_too_costly");
    Json definitions = Json::parse(R"({"t:it": {"allOf": [{"$ref": "#/definitions/d0"}]}})");
    for (int i = 0; i < 40; ++i) {
        const std::string next = "#/definitions/d" + std::to_string(i + 1);
        definitions["t:it"]["definitions"]["d" + std::to_string(i)] = {
            {"allOf", Json::array({{{"$ref", next}}, {{"$ref", next}}})}};
    }
    definitions["t:it"]["definitions"]["d40"] = {{"type", "object"}};
    CHECK(only_code(problems(definitions.dump().c_str(), "{}")) == "nodes.schema_too_costly");
}

TEST_CASE("a schema of many references in a row ends") {
    Json definitions = Json::parse(R"({"t:it": {"allOf": [{"$ref": "#/definitions/d0"}]}})");
    for (int i = 0; i < 20'000; ++i) {
        definitions["t:it"]["definitions"]["d" + std::to_string(i)] = {
            {"$ref", "#/definitions/d" + std::to_string(i + 1)}};
    }
    definitions["t:it"]["definitions"]["d20000"] = {{"type", "object"}};
    CHECK(only_code(problems(definitions.dump().c_str(), "{}")) == "nodes.schema_too_costly");
}

TEST_CASE("expressions and long texts take linear time") {
    const std::string text = R"({"a": ")" + std::string(1'000'000, 'a') + R"(!"})";
    const char* schema = R"({"t:it": {"properties": {"a": {"pattern": "^(a+)+$"}}}})";
    CHECK(only_code(problems(schema, text.c_str())) == "nodes.schema_violated");
    CHECK(only_code(problems(R"({"t:it": {"properties": {"a": {"format": "date"}}}})",
                             text.c_str())) == "nodes.schema_violated");
}

TEST_CASE("values are compared by looking them up, and numbers by what they count") {
    Json many = {{"a", Json::array()}};
    for (int i = 0; i < 3000; ++i)
        many["a"].push_back(i);
    const char* unique = R"({"t:it": {"properties": {"a": {"uniqueItems": true}}}})";
    CHECK(problems(unique, many.dump().c_str()).empty());
    many["a"].push_back(7.0);
    CHECK(only_code(problems(unique, many.dump().c_str())) == "nodes.schema_violated");
    CHECK(problems(unique, R"({"a": [1, "1", [1], {"b": 1}, true, null, "n", [1, 1]]})").empty());
    CHECK(only_code(problems(unique, R"({"a": [{"b": 1, "c": 2}, {"c": 2, "b": 1.0}]})")) ==
          "nodes.schema_violated");
    const char* choice = R"({"t:it": {"properties": {"a": {"enum": [1, "ab", [1, 2], {"b": null}]},
                                                     "b": {"const": 2}}}})";
    for (const char* good : {R"({"a": 1.0})", R"({"a": "ab"})", R"({"a": [1, 2.0]})",
                             R"({"a": {"b": null}, "b": 2.0})"}) {
        INFO(good);
        CHECK(problems(choice, good).empty());
    }
    for (const char* bad : {R"({"a": "1"})", R"({"a": "a"})", R"({"a": [12]})", R"({"a": true})",
                            R"({"a": {"b": 0}})", R"({"a": null})", R"({"b": "2"})"}) {
        INFO(bad);
        CHECK(only_code(problems(choice, bad)) == "nodes.schema_violated");
    }
}

TEST_CASE("comparing, patterns and names that fit them have bounds") {
    Json long_texts = {{"a", Json::array()}};
    for (int i = 0; i < 10; ++i)
        long_texts["a"].push_back(std::string(1u << 20, static_cast<char>('a' + i)));
    for (const char* schema : {R"({"t:it": {"properties": {"a": {"uniqueItems": true}}}})",
                               R"({"t:it": {"properties": {"a": {"items": {"enum": ["x"]}}}}})"}) {
        INFO(schema);
        const auto found = problems(schema, long_texts.dump().c_str());
        REQUIRE_FALSE(found.empty());
        CHECK(found.back().code == "nodes.schema_too_costly");
    }
    Json patterns = {{"t:it", {{"properties", Json::object()}}}};
    for (int i = 0; i < 20; ++i)
        patterns["t:it"]["properties"]["p" + std::to_string(i)] = {{"pattern", "x{1000}"}};
    CHECK(only_code(problems(patterns.dump().c_str(), "{}")) == "nodes.schema_too_costly");

    Json names = Json::object();
    for (int i = 0; i < 1000; ++i)
        names["n" + std::to_string(i)] = 1;
    CHECK(only_code(problems(R"({"t:it": {"patternProperties": {".": {"patternProperties": {".": {
                                 "patternProperties": {".": {"type": "string"}}}}}}}})",
                             names.dump().c_str())) == "nodes.schema_too_costly");
}

TEST_CASE("problems end where enough are found, however long their places are") {
    const std::string name(100'000, 'p');
    const Json schema = {
        {"t:it", {{"properties", {{name, {{"type", "array"}, {"items", {{"type", "string"}}}}}}}}}};
    Json instance = {{name, Json::array()}};
    for (int i = 0; i < 20'000; ++i)
        instance[name].push_back(i);
    const auto before = peak_memory();
    const auto found = problems(schema.dump().c_str(), instance.dump().c_str());
    CHECK(peak_memory() - before < 100 * 1024);
    REQUIRE(!found.empty());
    CHECK(found.size() <= 100);
    for (const sdk::Violation& violation : found) {
        CHECK(violation.code == "nodes.schema_violated");
        CHECK(violation.path.size() <= sdk::kMaxViolationPath);
        CHECK(violation.path.ends_with("\u2026"));
    }
}

TEST_CASE("a list of names that are required is told as far as it helps") {
    Json required = Json::array();
    for (int i = 0; i < 50'000; ++i)
        required.push_back("name" + std::to_string(i));
    for (const char* keyword : {"required", "dependencies"}) {
        CAPTURE(keyword);
        Json schema = {{"t:it", {{"required", required}}}};
        if (keyword == std::string("dependencies"))
            schema = {{"t:it", {{"dependencies", {{"a", required}}}}}};
        const auto found = problems(schema.dump().c_str(), R"({"a": 1})");
        CHECK(found.size() == 100);
        CHECK(found.front().message == "Missing required property 'name0'.");
    }
    // Each problem keeps its place.
    const std::string name(20'000, 'p');
    const Json schema = {{"t:it", {{"properties", {{name, {{"required", required}}}}}}}};
    const Json instance = {{name, Json::object()}};
    const auto before = peak_memory();
    CHECK(problems(schema.dump().c_str(), instance.dump().c_str()).size() == 100);
    CHECK(peak_memory() - before < 100 * 1024);
}

TEST_CASE("problems of alternatives that need not fit are none, however many there are") {
    const char* const schema = R"({"t:it": {"properties": {"a": {"anyOf": [
        {"items": {"type": "string"}}, {"items": {"type": "number"}}]}}}})";
    Json instance = {{"a", Json::array()}};
    for (int i = 0; i < 3000; ++i)
        instance["a"].push_back(i);
    CHECK(problems(schema, instance.dump().c_str()).empty());
    for (Json& element : instance["a"])
        element = nullptr;
    CHECK(only_code(problems(schema, instance.dump().c_str())) == "nodes.schema_violated");
}

TEST_CASE("members that must not be there are problems, one each") {
    const char* const schema = R"({"t:it": {"properties": {"a": false, "b": true}}})";
    CHECK(problems(schema, R"({"b": 1})").empty());
    CHECK(paths(problems(schema, R"({"a": 1, "b": 1})")) == std::vector<std::string>{"a"});
}

}  // namespace stele::nodes
