#include <stele/sdk/letter_case.hpp>

#include <catch2/catch.hpp>

using stele::sdk::equals_ignoring_case;
using stele::sdk::lower_case;

TEST_CASE("only ASCII letters have a lower case") {
    CHECK(lower_case("AZ az 09 @[`{_-/") == "az az 09 @[`{_-/");
    CHECK(lower_case("\u00c4\u00d6") == "\u00c4\u00d6");
    CHECK(lower_case("") == "");
}

TEST_CASE("texts of the same letters are equal in any case") {
    CHECK(equals_ignoring_case("Content-Type", "cONTENT-tYPE"));
    CHECK(equals_ignoring_case("", ""));
    CHECK_FALSE(equals_ignoring_case("owner", "owners"));
    CHECK_FALSE(equals_ignoring_case("owners", "owner"));
    // Neighbours of the letters, 32 apart like an upper and a lower one.
    CHECK_FALSE(equals_ignoring_case("[", "{"));
    CHECK_FALSE(equals_ignoring_case("@", "`"));
}
