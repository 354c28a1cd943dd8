#include "node_state.hpp"

#include <catch2/catch.hpp>

namespace stele::node_rules {

namespace {

sdk::Json fields(const char* text) {
    return *sdk::parse_json(text);
}

bool is_same(const char* one, const char* other) {
    const sdk::Json left = said_by(fields(one));
    const sdk::Json right = said_by(fields(other));
    CHECK((left == right) == (digest_of(left) == digest_of(right)));
    return left == right;
}

}  // namespace

TEST_CASE("two branches say the same of a node whoever wrote it, and wherever it links to") {
    CHECK(is_same(R"({"_doc": "n", "title": "t", "_system": {"modified_by": "a"}})",
                  R"({"_doc": "n", "title": "t", "_system": {"modified_by": "b"}})"));
    CHECK(is_same(R"({"to": {"id": "m", "ref": "node://p/r/one/m"}})",
                  R"({"to": {"id": "m", "ref": "node://p/s/two/m"}})"));
    CHECK_FALSE(is_same(R"({"to": {"id": "m", "ref": "node://p/r/one/m"}})",
                        R"({"to": {"id": "m", "ref": "node://p/r/one/l"}})"));
    CHECK(is_same(R"({"a": {"b": 1, "c": [{"d": 2, "e": 3}]}, "f": 4})",
                  R"({"f": 4, "a": {"c": [{"e": 3, "d": 2}], "b": 1}})"));
    CHECK_FALSE(is_same(R"({"list": [1, 2]})", R"({"list": [2, 1]})"));
    CHECK_FALSE(is_same(R"({"title": "t"})", R"({"title": "u"})"));
}

TEST_CASE("another attachment is another state") {
    CHECK_FALSE(is_same(R"({"_system": {"attachments": {"default": {"objectId": "x"}}}})",
                        R"({"_system": {"attachments": {"default": {"objectId": "y"}}}})"));
    CHECK_FALSE(is_same(R"({"_system": {"attachments": {"default": {"objectId": "x"}}}})",
                        R"({"_system": {}})"));
}

TEST_CASE("a changeset is the same before it has its number and after") {
    CHECK(changeset_of(fields(R"({"_system": {"changeset": "12:0ab"}})")) == "0ab");
    CHECK(changeset_of(fields(R"({"_system": {"changeset": "0ab"}})")) == "0ab");
    CHECK(changeset_of(fields(R"({"_system": 1})")).empty());
    CHECK(changeset_of(fields("{}")).empty());
}

TEST_CASE("a node says when it was changed, and one that does not was changed at the beginning") {
    CHECK(modified_ms(fields(R"({"_system": {"modified_on": {"ms": 1795737990126}}})")) ==
          1795737990126);
    for (const char* const text : {"{}", R"({"_system": 1})", R"({"_system": {"modified_on": 1}})",
                                   R"({"_system": {"modified_on": {"ms": -1}}})"})
        CHECK(modified_ms(fields(text)) == 0);
}

TEST_CASE("what a branch has by itself, rules and associations are not brought") {
    CHECK(is_brought(fields(R"({"_type": "custom:article"})")));
    for (const char* const text :
         {R"({"_type": "n:root"})", R"({"_type": "n:person"})", R"({"_type": "n:rule"})",
          R"({"_type": "n:tag"})", R"({"_type": "n:node", "_qname": "r:users"})",
          R"({"_type": "a:linked", "_is_association": true})"})
        CHECK_FALSE(is_brought(fields(text)));
}

}  // namespace stele::node_rules
