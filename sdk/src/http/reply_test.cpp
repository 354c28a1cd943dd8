#include <stele/sdk/reply.hpp>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using stele::sdk::Json;
using stele::sdk::PageRequest;
using stele::sdk::Reply;

TEST_CASE("a status is ok first, then the members") {
    CHECK(Reply::status().body() == R"({"ok":true})");
    CHECK(Reply::status(Json{{"_doc", "a\"b"}, {"ok", false}, {"n", 1}}).body() ==
          R"({"ok":true,"_doc":"a\"b","n":1})");
}

TEST_CASE("a page has its four members") {
    CHECK(Reply::page(Json::array({Json{{"_doc", "a"}}}), 7, 3).body() ==
          R"({"rows":[{"_doc":"a"}],"total_rows":7,"offset":3,"size":1})");
    CHECK(Reply::page(Json::array(), 0, 0).body() ==
          R"({"rows":[],"total_rows":0,"offset":0,"size":0})");
}

TEST_CASE("the wanted slice is cut out of rows that are all there") {
    const Json rows = Json::array({0, 1, 2, 3, 4});
    const auto body = [&](std::uint64_t skip, std::int64_t limit) {
        PageRequest page;
        page.skip = skip;
        page.limit = limit;
        return Reply::page_of(rows, page).body();
    };
    CHECK(body(1, 2) == R"({"rows":[1,2],"total_rows":5,"offset":1,"size":2})");
    CHECK(body(3, 10) == R"({"rows":[3,4],"total_rows":5,"offset":3,"size":2})");
    CHECK(body(2, -1) == R"({"rows":[2,3,4],"total_rows":5,"offset":2,"size":3})");
    CHECK(body(0, 0) == R"({"rows":[],"total_rows":5,"offset":0,"size":0})");
    CHECK(body(9, 5) == R"({"rows":[],"total_rows":5,"offset":9,"size":0})");
}

TEST_CASE("headers repeat and a stream keeps its type") {
    auto reply = Reply::stream([](std::string&) { return false; }, "text/plain")
                     .header("Set-Cookie", "a=1")
                     .header("Set-Cookie", "b=2");
    reply.etag("\"7\"");
    CHECK(reply.headers().size() == 2);
    CHECK(reply.headers()[1].second == "b=2");
    CHECK(reply.content_type() == "text/plain");
    CHECK(reply.etag_value() == "\"7\"");
    CHECK(reply.source());
    CHECK(Reply::status().content_type() == "application/json;charset=UTF-8");
}

TEST_CASE("a redirect names its address, and a text its type") {
    const Reply redirect = Reply::redirect("https://app.example.org/back?code=1");
    CHECK(redirect.is_redirect());
    REQUIRE(redirect.headers().size() == 1);
    CHECK(redirect.headers()[0].first == "Location");
    CHECK(redirect.headers()[0].second == "https://app.example.org/back?code=1");
    const Reply text = Reply::text("<p>Hi</p>", "text/html;charset=UTF-8");
    CHECK(text.body() == "<p>Hi</p>");
    CHECK(text.content_type() == "text/html;charset=UTF-8");
    CHECK_FALSE(text.is_redirect());
}
