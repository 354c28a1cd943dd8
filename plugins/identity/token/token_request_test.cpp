#include "token_request.hpp"

#include <catch2/catch.hpp>

using namespace stele::identity;

TEST_CASE("a form body is split and decoded") {
    const auto fields = parse_form("grant_type=password&username=a%40b.c&password=x+y%2Bz&params=");
    REQUIRE(fields);
    CHECK(fields->at("grant_type") == "password");
    CHECK(fields->at("username") == "a@b.c");
    CHECK(fields->at("password") == "x y+z");
    CHECK(fields->at("params").empty());
}

TEST_CASE("a form may be empty, hold names without values and stray separators") {
    REQUIRE(parse_form(""));
    CHECK(parse_form("")->empty());
    const auto fields = parse_form("&a&b=1&&c=x=y&");
    REQUIRE(fields);
    CHECK(fields->size() == 3);
    CHECK(fields->at("a").empty());
    CHECK(fields->at("c") == "x=y");
}

TEST_CASE("of a repeated form field the first counts") {
    CHECK(parse_form("scope=api&scope=other")->at("scope") == "api");
}

TEST_CASE("a form with broken percent-encoding is refused") {
    CHECK_FALSE(parse_form("a=%4"));
    CHECK_FALSE(parse_form("a=%zz"));
    CHECK_FALSE(parse_form("%=1"));
}

TEST_CASE("a client's secret is taken as it is, whatever characters it holds") {
    // base64 of "key:a+b/c=:%41"
    const auto credentials = parse_basic("Basic a2V5OmErYi9jPTolNDE=");
    REQUIRE(credentials);
    CHECK(credentials->key == "key");
    CHECK(credentials->secret == "a+b/c=:%41");
}

TEST_CASE("an open driver sends an empty secret") {
    // base64 of "key:"
    const auto credentials = parse_basic("basic a2V5Og==");
    REQUIRE(credentials);
    CHECK(credentials->key == "key");
    CHECK(credentials->secret.empty());
}

TEST_CASE("what is no Basic header is none") {
    for (const char* header :
         {"", "Basic", "Bearer a2V5Og==", "Basic a2V5", "Basic $$$$", "Basic a2V5O"}) {
        INFO(header);
        CHECK_FALSE(parse_basic(header));
    }
}

TEST_CASE("a qualified name splits at its first slash") {
    CHECK(split_qualified("default/admin").domain == "default");
    CHECK(split_qualified("default/admin").name == "admin");
    CHECK(split_qualified("admin").domain.empty());
    CHECK(split_qualified("admin").name == "admin");
    CHECK(split_qualified("d/a/b").name == "a/b");
    CHECK(split_qualified("").name.empty());
}
