// The language of queries: what is read, and where wrong text is refused.
#include "parser.hpp"

#include <string>

#include <catch2/catch.hpp>

namespace stele::graphql {

TEST_CASE("an operation is read with all of its parts") {
    const Parsed parsed = parse_query(
        "\xEF\xBB\xBF# first\nquery Q($a: [ID!]! = [\"x\"], $b: JSON) @d(x: 1) {\n"
        "  f: g(a: $a, b: {c: -1.5e3, d: [true, null, RED]}) @skip(if: $b) { h }\n"
        "  ...F @e ... on T { i } ... @include(if: true) { j },,, }\n"
        "fragment F on T { query fragment on: true }");
    REQUIRE(parsed.problems.empty());
    const Operation& operation = parsed.document.operations.at(0);
    CHECK(operation.name == "Q");
    CHECK(operation.variables.at(0).type == "[ID!]!");
    CHECK(operation.variables.at(0).default_value->items.at(0).text == "x");
    CHECK(operation.directives.at(0).arguments.at(0).value.text == "1");
    REQUIRE(operation.selections.size() == 4);
    const Selection& field = operation.selections[0];
    CHECK(field.alias == "f");
    CHECK(field.name == "g");
    CHECK(field.key() == "f");
    CHECK(field.place.line == 3);
    CHECK(field.place.column == 3);
    CHECK(field.arguments.at(0).value.kind == Value::Kind::variable);
    CHECK(field.arguments.at(0).value.text == "a");
    const Value& object = field.arguments.at(1).value;
    CHECK(object.members.at(0).value.text == "-1.5e3");
    CHECK(object.members.at(0).value.kind == Value::Kind::number);
    CHECK(object.members.at(1).value.items.at(0).kind == Value::Kind::boolean);
    CHECK(object.members.at(1).value.items.at(1).kind == Value::Kind::null);
    CHECK(object.members.at(1).value.items.at(2).kind == Value::Kind::enumerator);
    CHECK(field.selections.at(0).name == "h");
    CHECK(operation.selections[1].kind == Selection::Kind::spread);
    CHECK(operation.selections[1].name == "F");
    CHECK(operation.selections[2].kind == Selection::Kind::inline_fragment);
    CHECK(operation.selections[2].type_condition == "T");
    CHECK(operation.selections[3].directives.at(0).name == "include");
    const Fragment& fragment = parsed.document.fragments.at(0);
    CHECK(fragment.name == "F");
    CHECK(fragment.type_condition == "T");
    REQUIRE(fragment.selections.size() == 3);
    CHECK(fragment.selections[2].alias == "on");
    CHECK(fragment.selections[2].name == "true");
}

TEST_CASE("text is read with its escapes, blocks without their indentation") {
    const auto text = [](const std::string& literal) {
        const Parsed parsed = parse_query("{ f(a: " + literal + ") }");
        if (!parsed.problems.empty()) return parsed.problems[0].code;
        return parsed.document.operations[0].selections[0].arguments[0].value.text;
    };
    CHECK(text(R"("")").empty());
    CHECK(text(R"("a\n\t\"\\\/b")") == "a\n\t\"\\/b");
    CHECK(text(R"("\u00e9 \ud83d\ude00 \u{1F600}")") == "\u00e9 \U0001F600 \U0001F600");
    CHECK(text(R"("\ud83d")") == "graphql.syntax_wrong");
    CHECK(text(R"("\udc00")") == "graphql.syntax_wrong");
    CHECK(text(R"("\u{110000}")") == "graphql.syntax_wrong");
    CHECK(text(R"("\x")") == "graphql.syntax_wrong");
    CHECK(text("\"a\nb\"") == "graphql.syntax_wrong");
    CHECK(text("\"\"\"\n    one\n      \\\"\"\" two\n\n    three\n  \"\"\"") ==
          "one\n  \"\"\" two\n\nthree");
    CHECK(text("\"\"\"\"\"\"").empty());
}

TEST_CASE("wrong text is refused at its place") {
    const auto place = [](const std::string& text) {
        const Parsed parsed = parse_query(text);
        if (parsed.problems.empty()) return std::string("read");
        CHECK(parsed.problems[0].code == "graphql.syntax_wrong");
        const Place& at = parsed.problems[0].places.at(0);
        return std::to_string(at.line) + ":" + std::to_string(at.column);
    };
    CHECK(place("") == "1:1");
    CHECK(place("{") == "1:2");
    CHECK(place("{}") == "1:2");
    CHECK(place("{ a(b: ) }") == "1:8");
    CHECK(place("{ a\n  @ }") == "2:4");
    CHECK(place("{ a } }") == "1:7");
    CHECK(place("query Q { a(b: 01) }") != "read");
    CHECK(place("query Q { a(b: 1.) }") != "read");
    CHECK(place("query Q { a(b: 1x) }") != "read");
    CHECK(place("fragment on on T { a }") != "read");
    CHECK(place("{ a(b: \"x) }") != "read");
    CHECK(place("type T { a: Int }") == "1:1");
}

}  // namespace stele::graphql
