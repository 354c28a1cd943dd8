#include "kernel/resource/record/row_query.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::kernel::resource {

namespace {

const std::vector<sdk::Json> kRows{
    {{"_doc", "a"}, {"title", "Pear"}, {"size", 3}, {"place", {{"x", 1}}}},
    {{"_doc", "b"}, {"title", "Apple"}, {"size", 30}},
    {{"_doc", "c"}, {"title", "Fig"}, {"size", 4}, {"place", {{"x", 2}}}},
};

sdk::Json ask(const sdk::Json& query, const sdk::PageRequest& page = {}) {
    auto reply = RowQuery(false).page(kRows, query, page);
    return sdk::parse_json(reply.value().body()).value();
}

std::string ids(const sdk::Json& answer) {
    std::string text;
    for (const sdk::Json& row : answer["rows"])
        text += row["_doc"].get<std::string>();
    return text;
}

}  // namespace

TEST_CASE("rows of no collection are queried like records") {
    CHECK(ids(ask({{"size", {{"$gt", 3}}}})) == "bc");
    CHECK(ids(ask({{"place.x", 2}})) == "c");
    CHECK(ids(ask(sdk::Json::object())) == "abc");
}

TEST_CASE("rows of no collection are sorted and cut like records") {
    sdk::PageRequest page;
    page.sort = {{"title", true}};
    CHECK(ids(ask(sdk::Json::object(), page)) == "bca");
    page.sort = {{"size", true}};
    // As strings: 3, 30, 4.
    CHECK(ids(ask(sdk::Json::object(), page)) == "abc");
    page.skip = 1;
    page.limit = 1;
    const sdk::Json cut = ask(sdk::Json::object(), page);
    CHECK(ids(cut) == "b");
    CHECK(cut["total_rows"] == 3);
    CHECK(cut["offset"] == 1);
    CHECK(cut["size"] == 1);
}

TEST_CASE("a query over rows selects members, and says what is wrong with it") {
    const sdk::Json selected = ask({{"_doc", "a"}, {"_fields", {{"size", 1}}}});
    CHECK(selected["rows"][0] == sdk::Json({{"_doc", "a"}, {"size", 3}}));
    const auto wrong = RowQuery(false).page(kRows, {{"size", {{"$unknown", 1}}}}, {});
    REQUIRE(wrong.has_error());
    CHECK(wrong.error().code == "query.operator_unknown");
}

}  // namespace stele::kernel::resource
