#include <catch2/catch.hpp>

#include <stele/sdk/entity_tag.hpp>

namespace stele::sdk {

TEST_CASE("If-Match names a version by lists of strong tags or a star") {
    for (const auto* named :
         {"\"a-1\"", "*", " * ", "\"x\", \"a-1\"", "\"x\",\"a-1\",W/\"y\"", "\"x,y\" , \"a-1\"",
          ", \"a-1\",", "W/\"a-1\", \"a-1\"", "\t\"a-1\""}) {
        INFO(named);
        CHECK(names_strong_tag(named, "\"a-1\""));
    }
}

TEST_CASE("If-Match fits nothing by weak, unquoted, longer or broken tags") {
    for (const auto* other : {"", "a-1", "W/\"a-1\"", "w/\"a-1\"", "\"a-11\"", "\"xa-1\"",
                              "\"A-1\"", "\"x\" \"a-1\"", "\"a-1", "a-1\"", "\"x, \"a-1\"", ",,",
                              "**", "*, \"x\"", "\"a-1\"; q=1", "'a-1'", "\"x\"\"a-1\"", "\"\""}) {
        INFO(other);
        CHECK_FALSE(names_strong_tag(other, "\"a-1\""));
    }
}

TEST_CASE("If-Match fits no version that has a weak tag only") {
    for (const auto* named : {"W/\"a-1\"", "\"a-1\"", "\"x\", W/\"a-1\""}) {
        INFO(named);
        CHECK_FALSE(names_strong_tag(named, "W/\"a-1\""));
    }
    CHECK(names_strong_tag("*", "W/\"a-1\""));
}

TEST_CASE("the tag of a version is quoted and has id and number") {
    CHECK(version_tag("a", 12) == "\"a-12\"");
}

}  // namespace stele::sdk
