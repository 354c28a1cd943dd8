// Requests from text to answer, over rows in memory.
#include "request.hpp"

#include <catch2/catch.hpp>

#include "request_fixture.hpp"

namespace stele::graphql::testing {

namespace {

sdk::Json json(const char* text) {
    return sdk::Json::parse(text);
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

}  // namespace

TEST_CASE("exactly the selected fields come back, in their order") {
    Library library;
    CHECK(library.data("{ custom_books { title _doc } }").dump() ==
          R"({"custom_books":[{"title":"One","_doc":"b1"},{"title":"Two","_doc":"b2"}]})");
}

TEST_CASE("properties come back by their types") {
    Library library;
    CHECK(library.data("{ custom_books(limit: 1) { pages price in_print author { name } tags "
                       "extra } }") ==
          json(R"({"custom_books": [{"pages": 10, "price": 2.5, "in_print": true,
                   "author": {"name": "Ann"}, "tags": ["a", "b"], "extra": {"x": [1]}}]})"));
    CHECK(library.data("{ custom_books(skip: 1) { price author { name } tags } }") ==
          json(R"({"custom_books": [{"price": null, "author": null, "tags": null}]})"));
}

TEST_CASE("aliases, fragments and __typename") {
    Library library;
    CHECK(library.data("query Q { all: custom_books { ...F ... on custom_book { n: pages } "
                       "... { __typename } } } fragment F on custom_book { title }") ==
          json(R"({"all": [{"title": "One", "n": 10, "__typename": "custom_book"},
                           {"title": "Two", "n": 20, "__typename": "custom_book"}]})"));
}

TEST_CASE("fields selected twice merge") {
    Library library;
    CHECK(library.data("{ custom_books(limit: 1) { author { name } author { n: name } } "
                       "custom_books(limit: 1) { title } }") ==
          json(R"({"custom_books": [{"author": {"name": "Ann", "n": "Ann"}, "title": "One"}]})"));
    CHECK(library.problem("{ custom_books { x: title x: pages } }") == "graphql.query_invalid");
    CHECK(library.problem("{ custom_books(limit: 1) { title } custom_books { title } }") ==
          "graphql.query_invalid");
}

TEST_CASE("one node by its id, of its type or of any") {
    Library library;
    CHECK(library
              .data(R"({ custom_book(id: "b2") { title } none: custom_book(id: "x") { title }
                           node(id: "b2") })")
              .dump() == R"({"custom_book":{"title":"Two"},"none":null,"node":)" +
                             book("b2", "Two", {{"pages", 20}}).dump() + "}");
}

TEST_CASE("arguments reach the rows, as literals, as text and by variables") {
    Library library;
    CHECK(library.data("{ custom_books(query: {pages: 20}) { title } }") ==
          json(R"({"custom_books": [{"title": "Two"}]})"));
    CHECK(library.data(R"({ custom_books(query: "{\"pages\": 20}") { title } })") ==
          json(R"({"custom_books": [{"title": "Two"}]})"));
    CHECK(library.data("query ($p: Int!, $s: JSON, $l: Int = 7) { custom_books(query: {pages: $p}, "
                       "sort: $s, limit: $l) { title } }",
                       json(R"({"p": 20, "s": {"b": -1, "a": 1}})")) ==
          json(R"({"custom_books": [{"title": "Two"}]})"));
    CHECK(library.rows.last.limit == 7);
    REQUIRE(library.rows.last.sort.size() == 2);
    CHECK(library.rows.last.sort[0].field == "b");
    CHECK_FALSE(library.rows.last.sort[0].ascending);
    CHECK(library.rows.last.sort[1].ascending);
    CHECK(library.data(R"({ custom_books(search: "x") { title } })").is_object());
    CHECK(library.rows.last.search == "x");
}

TEST_CASE("wrong arguments make the field null and say so") {
    Library library;
    for (const char* arguments : {"skip: -1", "limit: -2", "sort: {a: 2}", "query: [1]",
                                  "search: 1", "query: \"{\"", "sort: \"no\""}) {
        INFO(arguments);
        const sdk::Json answer =
            library.answer("{ custom_books(" + std::string(arguments) + ") { title } __typename }");
        CHECK(answer.at("data") == json(R"({"custom_books": null, "__typename": "Query"})"));
        CHECK(answer.at("errors")[0]["extensions"]["code"] == "graphql.argument_invalid");
        CHECK(answer.at("errors")[0]["path"] == json(R"(["custom_books"])"));
    }
}

TEST_CASE("variables are checked by their types") {
    Library library;
    const std::string query = "query ($n: Int!) { custom_books(limit: $n) { _doc } }";
    CHECK(library.problem(query) == "graphql.variable_invalid");
    CHECK(library.problem(query, {{"n", "1"}}) == "graphql.variable_invalid");
    CHECK(library.problem(query, {{"n", 2147483648}}) == "graphql.variable_invalid");
    CHECK(library.problem(query, {{"n", nullptr}}) == "graphql.variable_invalid");
    CHECK(library.problem(query, "[1]") == "graphql.variable_invalid");
    CHECK(library.data(query, R"({"n": 1})") == json(R"({"custom_books": [{"_doc": "b1"}]})"));
    CHECK(library.problem("query ($n: String) { custom_books(limit: $n) { _doc } }") ==
          "graphql.query_invalid");
    CHECK(library.problem("query ($i: ID) { custom_book(id: $i) { _doc } }") ==
          "graphql.query_invalid");
    CHECK(library.data("query ($i: ID = 5) { custom_book(id: $i) { _doc } }") ==
          json(R"({"custom_book": null})"));
}

TEST_CASE("directives leave fields and fragments out") {
    Library library;
    const std::string query =
        "query ($no: Boolean = false) { custom_books(limit: 1) { title @include(if: $no) "
        "pages @skip(if: $no) ...F @skip(if: true) ... @include(if: true) { _doc } } } "
        "fragment F on custom_book { price }";
    CHECK(library.data(query) == json(R"({"custom_books": [{"pages": 10, "_doc": "b1"}]})"));
    CHECK(library.data(query, {{"no", true}}) ==
          json(R"({"custom_books": [{"title": "One", "_doc": "b1"}]})"));
    // The same fragment counts where it stands in, and not where it is left out.
    CHECK(library.data("{ a: custom_books(limit: 1) { author { ...N } } b: custom_books(limit: 1) "
                       "{ author { ...N @skip(if: true) x: name } } } fragment N on "
                       "custom_book_author { name }") ==
          json(R"({"a": [{"author": {"name": "Ann"}}], "b": [{"author": {"x": "Ann"}}]})"));
}

TEST_CASE("the operation is chosen by its name") {
    Library library;
    const std::string two = "query A { __typename } query B { b: __typename }";
    CHECK(library.answer(two, nullptr, "B")["data"] == json(R"({"b": "Query"})"));
    CHECK(library.problem(two) == "graphql.operation_unknown");
    CHECK(library.answer(two, nullptr, "C")["errors"][0]["extensions"]["code"] ==
          "graphql.operation_unknown");
    CHECK(library.problem("") == "graphql.query_missing");
}

TEST_CASE("values that do not fit their type are null and told") {
    Library library;
    library.rows = FakeRows({book("b1", "One", json(R"({"pages": "many", "tags": ["a", {}]})")),
                             book("b2", "Two", json(R"({"pages": 99999999999, "title": 5})"))});
    const sdk::Json answer = library.answer("{ custom_books { title pages tags } }");
    CHECK(answer["data"] ==
          json(R"({"custom_books": [{"title": "One", "pages": null, "tags": ["a", null]},
                                    {"title": "5", "pages": null, "tags": null}]})"));
    REQUIRE(answer["errors"].size() == 3);
    CHECK(answer["errors"][0]["path"] == json(R"(["custom_books", 0, "pages"])"));
    CHECK(answer["errors"][1]["path"] == json(R"(["custom_books", 0, "tags", 1])"));
    CHECK(answer["errors"][2]["extensions"]["code"] == "graphql.value_unfit");
}

TEST_CASE("null where none may be makes what contains it null") {
    Library library;
    sdk::Json broken = book("b1", "One");
    broken.erase("_qname");
    library.rows = FakeRows({broken});
    const sdk::Json answer = library.answer("{ custom_books { _qname } }");
    CHECK(answer["data"] == json(R"({"custom_books": null})"));
    CHECK(answer["errors"][0]["path"] == json(R"(["custom_books", 0, "_qname"])"));
}

TEST_CASE("what is wrong with a value that must not be null is told once") {
    Library library;
    for (const char* qname : {"null", "{}", "[1]"}) {
        INFO(qname);
        sdk::Json broken = book("b1", "One");
        broken["_qname"] = json(qname);
        library.rows = FakeRows({broken});
        const sdk::Json answer = library.answer("{ custom_books { _qname } }");
        CHECK(answer["data"] == json(R"({"custom_books": null})"));
        REQUIRE(answer["errors"].size() == 1);
        CHECK(answer["errors"][0]["extensions"]["code"] == "graphql.value_unfit");
    }
}

TEST_CASE("what the rows fail with is the field's when the caller caused it") {
    Library library;
    library.rows.failure = sdk::make_error(sdk::ErrorKind::invalid, "query.some_problem", "bad");
    const sdk::Json answer = library.answer("{ custom_books { _doc } }");
    CHECK(answer["data"] == json(R"({"custom_books": null})"));
    CHECK(answer["errors"][0]["extensions"]["code"] == "query.some_problem");
    CHECK(answer["errors"][0]["locations"] == json(R"([{"line": 1, "column": 3}])"));
    library.rows.failure = sdk::make_error(sdk::ErrorKind::conflict, "storage.conflict", "again");
    CHECK(library.answer("{ custom_books { _doc } }") == "storage.conflict");
}

TEST_CASE("a query reaches each of its bounds, and not one step further") {
    Library library;
    // Levels: __schema, types, then `type` or `ofType` each, and the name at the end.
    const auto nested = [](int levels) {
        return "{ __schema { types { fields { type " + repeated("{ ofType ", levels - 5) +
               "{ name } " + repeated("}", levels - 5) + "} } } }";
    };
    CHECK_FALSE(library.answer(nested(19)).contains("errors"));
    CHECK_FALSE(library.answer(nested(20)).contains("errors"));
    CHECK(library.problem(nested(21)) == "graphql.query_too_deep");

    const auto at_top = [](int fields) {
        std::string text = "{";
        for (int i = 0; i < fields; ++i)
            text += " f" + std::to_string(i) + ": __typename";
        return text + " }";
    };
    CHECK(library.data(at_top(50)).size() == 50);
    CHECK(library.problem(at_top(51)) == "graphql.query_too_wide");

    const auto selected = [](int fields) {
        std::string text = "{ custom_books(limit: 1) {";
        for (int i = 1; i < fields; ++i)
            text += " f" + std::to_string(i) + ": _doc";
        return text + " } }";
    };
    CHECK(library.data(selected(2000))["custom_books"][0].size() == 1999);
    CHECK(library.problem(selected(2001)) == "graphql.query_too_wide");

    const auto long_text = [](std::size_t bytes) {
        const std::string text = "{ custom_books { _doc } }";
        return text + std::string(bytes - text.size(), ' ');
    };
    CHECK(library.data(long_text(64 * 1024)).contains("custom_books"));
    CHECK(library.problem(long_text(64 * 1024 + 1)) == "graphql.query_too_large");

    // Of the text alone: what it asks for, there is not.
    const auto braces = [](int deep) { return repeated("{ a ", deep) + repeated("}", deep); };
    CHECK(library.problem(braces(50)) == "graphql.query_invalid");
    CHECK(library.problem(braces(51)) == "graphql.query_too_deep");
    // One of them is the brace around the field.
    const auto opened = [](const std::string& open, const std::string& close, int deep) {
        return "{ a(b: " + repeated(open, deep - 1) + repeated(close, deep - 1) + ") }";
    };
    CHECK(library.problem(opened("[", "]", 50)) == "graphql.query_invalid");
    CHECK(library.problem(opened("[", "]", 51)) == "graphql.query_too_deep");
    const auto members = [](int deep) {
        return "{ a(b: " + repeated("{c: ", deep - 2) + "{}" + repeated("}", deep - 2) + ") }";
    };
    CHECK(library.problem(members(50)) == "graphql.query_invalid");
    CHECK(library.problem(members(51)) == "graphql.query_too_deep");
    const auto types = [](int deep) {
        return "query Q($v: " + repeated("[", deep) + "Int" + repeated("]", deep) + ") { a }";
    };
    CHECK(library.problem(types(50)) == "graphql.query_invalid");
    CHECK(library.problem(types(51)) == "graphql.query_too_deep");
}

TEST_CASE("queries beyond the bounds are refused before anything is read") {
    Library library;
    const auto deep = [&](int times) {
        return "{ __schema { types " + repeated("{ fields { type ", times) + "{ name }" +
               repeated("} }", times) + " } }";
    };
    CHECK(library.problem(deep(9)) == "graphql.query_too_deep");
    CHECK(library.problem(repeated("{a", 60) + repeated("}", 60)) == "graphql.query_too_deep");
    CHECK(library.problem("{ node(id: " + repeated("[", 60) + ") }") == "graphql.query_too_deep");
    std::string wide;
    for (int i = 0; i < 51; ++i)
        wide += " f" + std::to_string(i) + ": __typename";
    CHECK(library.problem("{" + wide + " }") == "graphql.query_too_wide");
    CHECK(library.problem("{ node" + std::string(70'000, ' ') + "}") == "graphql.query_too_large");
    // Each fragment doubles what the one before selects.
    std::string bomb = "{ __schema { types { ...F0 } } } ";
    for (int i = 0; i < 12; ++i) {
        const std::string next = "...F" + std::to_string(i + 1);
        bomb += "fragment F" + std::to_string(i) + " on __Type { a: ofType { " + next +
                " } b: ofType { " + next + " } } ";
    }
    bomb += "fragment F12 on __Type { name }";
    CHECK(library.problem(bomb) == "graphql.query_too_wide");
    CHECK(library.rows.last.type.empty());
}

TEST_CASE("an answer that grows without end is cut off") {
    Library library;
    library.rows = FakeRows({book("b1", "One", {{"extra", std::string(1'000'000, 'x')}})});
    const auto copies = [](int count) {
        std::string query;
        for (int i = 0; i < count; ++i)
            query += " x" + std::to_string(i) + ": extra";
        return "{ custom_books {" + query + " } }";
    };
    CHECK(library.data(copies(30)).contains("custom_books"));
    const sdk::Json answer = library.answer(copies(40));
    REQUIRE(answer.contains("errors"));
    CHECK(answer["errors"][0]["extensions"]["code"] == "graphql.answer_too_large");
    CHECK(answer["data"].is_null());
}

}  // namespace stele::graphql::testing
