#include "contained_types.hpp"

#include <set>

#include <catch2/catch.hpp>

using stele::platform::contained_types;

TEST_CASE("a platform contains the twenty types that clients count, each once") {
    const auto* types = contained_types("platform");
    REQUIRE(types);
    CHECK(types->size() == 20);
    CHECK(std::set<std::string_view>(types->begin(), types->end()).size() == 20);
}

TEST_CASE("a type that contains nothing has no list") {
    CHECK_FALSE(contained_types("node"));
    CHECK_FALSE(contained_types(""));
}
