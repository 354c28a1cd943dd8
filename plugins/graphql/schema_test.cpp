// From definitions to a schema, as text and by introspection.
#include "schema_builder.hpp"

#include <catch2/catch.hpp>

#include "request_fixture.hpp"
#include "schema_text.hpp"

namespace stele::graphql::testing {

namespace {

std::string field_type(const Schema& schema, const char* type, const char* field) {
    const TypeDefinition* found = schema.find(type);
    const FieldDefinition* shown = found ? found->find_field(field) : nullptr;
    return shown ? shown->type : "none";
}

}  // namespace

TEST_CASE("JSON Schema types become types of fields") {
    const Schema schema = build_schema({sdk::Json::parse(R"({"_qname": "t:it", "properties": {
        "text": {"type": "string"}, "maybe": {"type": ["null", "integer"]},
        "either": {"type": ["string", "integer"]}, "list": {"type": "array"},
        "texts": {"type": "array", "items": {"type": "string"}},
        "part": {"type": "object", "properties": {"in": {"type": "boolean"}}},
        "parts": {"type": "array", "items": {"properties": {"n": {"type": "number"}}}},
        "open": {"type": "object"}, "odd": true, "1st name": {"type": "string"},
        "1st-name": {"type": "string"}, "__x": {"type": "string"}, "_doc": {"type": "object"}}})")});
    CHECK(field_type(schema, "t_it", "text") == "String");
    CHECK(field_type(schema, "t_it", "maybe") == "Int");
    CHECK(field_type(schema, "t_it", "either") == "JSON");
    CHECK(field_type(schema, "t_it", "list") == "[JSON]");
    CHECK(field_type(schema, "t_it", "texts") == "[String]");
    CHECK(field_type(schema, "t_it", "part") == "t_it_part");
    CHECK(field_type(schema, "t_it_part", "in") == "Boolean");
    CHECK(field_type(schema, "t_it", "parts") == "[t_it_parts]");
    CHECK(field_type(schema, "t_it_parts", "n") == "Float");
    CHECK(field_type(schema, "t_it", "open") == "JSON");
    CHECK(field_type(schema, "t_it", "odd") == "JSON");
    CHECK(field_type(schema, "t_it", "_1st_name") == "String");
    CHECK(field_type(schema, "t_it", "_1st_name_2") == "String");
    CHECK(field_type(schema, "t_it", "_x") == "String");
    CHECK(field_type(schema, "t_it", "_doc") == "ID!");
    CHECK(field_type(schema, "t_it", "title") == "String");
    CHECK(field_type(schema, "Query", "t_its") == "[t_it!]");
    CHECK(field_type(schema, "Query", "t_it") == "t_it");
}

TEST_CASE("types inherit, and circles end") {
    const Schema schema =
        build_schema({sdk::Json::parse(R"({"_qname": "t:a", "_parent": "t:b", "properties": {
             "x": {"type": "string"}, "y": {"type": "integer"}}})"),
                      sdk::Json::parse(R"({"_qname": "t:b", "_parent": "t:a", "properties": {
             "y": {"type": "string"}, "z": {"type": "boolean"}}})")});
    CHECK(field_type(schema, "t_a", "y") == "Int");
    CHECK(field_type(schema, "t_a", "z") == "Boolean");
    CHECK(field_type(schema, "t_b", "x") == "String");
    CHECK(field_type(schema, "t_b", "y") == "String");
}

TEST_CASE("names that become the same stay apart, collections first") {
    const Schema schema = build_schema({sdk::Json::parse(R"({"_qname": "t:books"})"),
                                        sdk::Json::parse(R"({"_qname": "t:book"})"),
                                        sdk::Json::parse(R"({"_qname": "t:bo-ok"})"),
                                        sdk::Json::parse(R"({"_qname": "t:bo_ok"})")});
    CHECK(schema.roots.at("t_books").kind == RootField::Kind::collection);
    CHECK(schema.roots.at("t_books").type == "t:book");
    CHECK(schema.roots.at("t_books_2").kind == RootField::Kind::by_id);
    CHECK(schema.roots.at("t_bo_oks").type == "t:bo-ok");
    CHECK(schema.roots.at("t_bo_oks_2").type == "t:bo_ok");
    CHECK(field_type(schema, "Query", "t_bo_oks_2") == "[t_bo_ok_2!]");
}

TEST_CASE("definitions nested without end stay within bounds") {
    sdk::Json nested = {{"type", "string"}};
    for (int i = 0; i < 60; ++i)
        nested = {{"type", "object"}, {"properties", {{"p", nested}}}};
    const Schema schema =
        build_schema({sdk::Json{{"_qname", "t:it"}, {"properties", {{"p", nested}}}}});
    CHECK(schema.types.size() < 30);
    sdk::Json wide = sdk::Json::object();
    for (int i = 0; i < 1000; ++i)
        wide["p" + std::to_string(i)] = sdk::Json::object();
    std::vector<sdk::Json> many;
    for (int i = 0; i < 60; ++i)
        many.push_back({{"_qname", "t:it" + std::to_string(i)}, {"properties", wide}});
    CHECK_FALSE(build_schema({many[0]}).is_truncated);
    const Schema bounded = build_schema(many);
    CHECK(bounded.is_truncated);
    CHECK(bounded.find("t_it0")->fields.size() > 1000);
    CHECK(bounded.find("t_it59")->fields.size() < 20);
}

TEST_CASE("the text of a schema names types, fields and arguments") {
    const std::string text = schema_text(Library().schema);
    CHECK(text.find("schema {\n  query: Query\n}") == 0);
    CHECK(text.find("type custom_book {\n") != std::string::npos);
    CHECK(text.find("\n  pages: Int\n") != std::string::npos);
    CHECK(text.find("\nscalar JSON\n") != std::string::npos);
    CHECK(text.find("  custom_books(query: JSON, search: JSON, sort: JSON, skip: Int = 0, "
                    "limit: Int = 1000): [custom_book!]\n") != std::string::npos);
    CHECK(text.find("__Type") == std::string::npos);
}

TEST_CASE("introspection tells the types") {
    Library library;
    CHECK(library.data(R"({ __type(name: "custom_book_author") { kind name fields { name type
              { kind name } args { name } } interfaces { name } ofType { name } }
              none: __type(name: "x") { name } })") ==
          sdk::Json::parse(R"({"__type": {"kind": "OBJECT", "name": "custom_book_author", "fields":
              [{"name": "name", "type": {"kind": "SCALAR", "name": "String"}, "args": []}],
              "interfaces": [], "ofType": null}, "none": null})"));
    const sdk::Json whole = library.data(
        "{ __schema { queryType { name } mutationType { name } subscriptionType { name } "
        "types { name } directives { name locations args { name type { kind ofType { name } } "
        "defaultValue } } } }");
    CHECK(whole["__schema"]["queryType"]["name"] == "Query");
    CHECK(whole["__schema"]["mutationType"].is_null());
    CHECK(whole["__schema"]["types"].size() == library.schema.types.size());
    CHECK(whole["__schema"]["directives"][0] ==
          sdk::Json::parse(R"({"name": "include", "locations": ["FIELD", "FRAGMENT_SPREAD",
              "INLINE_FRAGMENT"], "args": [{"name": "if", "type": {"kind": "NON_NULL", "ofType":
              {"name": "Boolean"}}, "defaultValue": null}]})"));
    CHECK(library.data(R"({ __type(name: "Query") { fields { name type { kind ofType { kind ofType
              { name } } } } } })")["__type"]["fields"][0] ==
          sdk::Json::parse(R"({"name": "custom_books", "type": {"kind": "LIST", "ofType":
              {"kind": "NON_NULL", "ofType": {"name": "custom_book"}}}})"));
}

}  // namespace stele::graphql::testing
