// Documents that the specification forbids, each refused before anything runs.
#include "validation.hpp"

#include <catch2/catch.hpp>

#include "parser.hpp"
#include "request_fixture.hpp"

namespace stele::graphql::testing {

TEST_CASE("documents that break a rule are refused with the place of it") {
    const char* wrong[] = {
        "{ nothing }",
        "{ custom_books }",
        "{ custom_books { title { x } } }",
        "{ custom_books { nothing } }",
        "{ custom_books(first: 1) { title } }",
        "{ custom_books(limit: \"1\") { title } }",
        "{ custom_books(limit: 1.5) { title } }",
        "{ custom_books(limit: 2147483648) { title } }",
        "{ custom_books(limit: 1, limit: 1) { title } }",
        "{ custom_book { title } }",
        "{ custom_book(id: null) { title } }",
        "{ custom_book(id: 1.5) { title } }",
        "{ custom_book(id: true) { title } }",
        "{ custom_books { ...F } }",
        "{ custom_books { ... on nothing { title } } }",
        "{ custom_books { ... on String { title } } }",
        "{ custom_books { ... on System { changeset } } }",
        "{ __typename } fragment F on custom_book { title }",
        "{ custom_books { ...F } } fragment F on custom_book { title ...F }",
        "{ custom_books { ...F } } fragment F on custom_book { ...G } fragment G on custom_book "
        "{ ...F }",
        "{ custom_books { ...F } } fragment F on System { changeset }",
        "{ custom_books { ...F } } fragment F on custom_book { _doc } fragment F on custom_book "
        "{ _doc }",
        "{ __typename @nothing }",
        "{ __typename @include }",
        "{ __typename @include(if: 1) }",
        "{ __typename @deprecated }",
        "{ __typename @skip(if: true) @skip(if: true) }",
        "query @skip(if: true) { __typename }",
        "query ($a: Int) { __typename }",
        "{ custom_books(limit: $a) { title } }",
        "query ($a: Int, $a: Int) { custom_books(limit: $a) { title } }",
        "query ($a: custom_book) { node(id: $a) }",
        "query ($a: Int = \"x\") { custom_books(limit: $a) { title } }",
        "query ($a: [Int]) { custom_books(limit: $a) { title } }",
        "query ($a: Int) { custom_books { ...F } } fragment F on custom_book "
        "{ title @skip(if: $a) }",
        "{ __typename } { __typename }",
        "query A { __typename } query A { __typename }",
        "mutation { __typename }",
        "subscription { __typename }",
    };
    const Library library;
    for (const char* text : wrong) {
        INFO(text);
        const Parsed parsed = parse_query(text);
        REQUIRE(parsed.problems.empty());
        const Problems problems = validate(library.schema, parsed.document);
        REQUIRE(problems.size() >= 1);
        CHECK(problems[0].code == "graphql.query_invalid");
        CHECK(problems[0].places.size() == 1);
    }
}

TEST_CASE("what is allowed passes") {
    const char* right[] = {
        "{ __typename }",
        "query ($a: Boolean!) { custom_books { ...F } } fragment F on custom_book "
        "{ title @skip(if: $a) }",
        "query ($q: String) { custom_books(query: $q) { title } }",
        "query ($q: Int) { custom_books(query: {a: [$q]}) { title } }",
        "query ($a: Boolean = true) { __typename @include(if: $a) }",
        "{ custom_books(query: null, limit: 2147483647) { _system { created_on { ms } } } }",
        "{ __type(name: \"Query\") { fields(includeDeprecated: true) { name } } }",
        "query A { ...F } query B { ...F } fragment F on Query { __typename }",
    };
    const Library library;
    for (const char* text : right) {
        INFO(text);
        const Parsed parsed = parse_query(text);
        REQUIRE(parsed.problems.empty());
        for (const Problem& problem : validate(library.schema, parsed.document))
            FAIL_CHECK(problem.message);
    }
}

TEST_CASE("the number of problems told is bounded") {
    std::string text = "{";
    for (int i = 0; i < 500; ++i)
        text += " n" + std::to_string(i);
    const Parsed parsed = parse_query(text + " }");
    CHECK(validate(Library().schema, parsed.document).size() == 50);
}

}  // namespace stele::graphql::testing
