#include "coordinates.hpp"

#include <catch2/catch.hpp>

namespace stele::archives {

TEST_CASE("a file name with hyphens in its artifact has three parts") {
    const auto found = coordinates_of_file("org.sample-sample-project-2.3.9.zip");
    REQUIRE(found);
    CHECK(*found == Coordinates{"org.sample", "sample-project", "2.3.9"});
}

TEST_CASE("a version may go on behind a hyphen") {
    CHECK(coordinates_of_file("com.acme-site-1.0.0-SNAPSHOT.zip") ==
          Coordinates{"com.acme", "site", "1.0.0-SNAPSHOT"});
    CHECK(coordinates_of_file("com.acme-my-site-2-1.0.zip") ==
          Coordinates{"com.acme", "my-site-2", "1.0"});
    CHECK(coordinates_of_file("com.acme-my-site-latest.zip") ==
          Coordinates{"com.acme", "my-site", "latest"});
}

TEST_CASE("only the last segment of a path counts, and the extension in any case") {
    CHECK(coordinates_of_file("C:\\up-loads-1\\a-b-3.ZIP") == Coordinates{"a", "b", "3"});
    CHECK(coordinates_of_file("a-b-3") == Coordinates{"a", "b", "3"});
}

TEST_CASE("a name without three parts says nothing") {
    for (const char* name : {"", ".zip", "site.zip", "a-1.zip", "a--1.zip", "-b-1.zip", "a-b-.zip",
                             "--.zip", "-", "a-"})
        CHECK_FALSE(coordinates_of_file(name));
}

TEST_CASE("what the call says comes first, then the manifest, then the name") {
    const Coordinates manifest{"com.acme", "site", "1"};
    const char* const name = "org.other-thing-9.zip";
    CHECK(complete_coordinates({"g", "a", "v"}, manifest, name) == Coordinates{"g", "a", "v"});
    CHECK(complete_coordinates({"", "", "2"}, manifest, name) ==
          Coordinates{"com.acme", "site", "2"});
    CHECK(complete_coordinates({}, {"", "", "1"}, name) == Coordinates{"org.other", "thing", "1"});
    CHECK(complete_coordinates({}, {}, name) == Coordinates{"org.other", "thing", "9"});
    CHECK(complete_coordinates({}, {}, "upload").is_complete() == false);
}

TEST_CASE("parts of a package differ by their names only") {
    const Coordinates manifest{"com.acme", "big", "2"};
    CHECK(complete_coordinates({}, manifest, "com.acme-big_part1-2.zip") ==
          Coordinates{"com.acme", "big_part1", "2"});
    CHECK(complete_coordinates({"", "mine", ""}, manifest, "com.acme-big_part1-2.zip") ==
          Coordinates{"com.acme", "mine", "2"});
    CHECK(complete_coordinates({}, manifest, "com.acme-2.zip") == manifest);
    CHECK(complete_coordinates({}, manifest, "com.acme--2.zip") == manifest);
}

TEST_CASE("a hyphen in the group is known from the manifest") {
    const Coordinates manifest{"com.my-company", "site", "1"};
    CHECK(complete_coordinates({}, manifest, "com.my-company-site-1.zip") == manifest);
}

TEST_CASE("each coordinate that is missing or unfit is named") {
    sdk::Violations violations;
    check_coordinates({"", "a/b", std::string(256, 'x')}, violations);
    REQUIRE(violations.size() == 3);
    CHECK(violations[0].path == "group");
    CHECK(violations[0].code == "archives.coordinate_missing");
    CHECK(violations[1].path == "artifact");
    CHECK(violations[1].code == "archives.coordinate_malformed");
    CHECK(violations[2].path == "version");
    violations.clear();
    check_coordinates({"com.acme", "käse 1", std::string(255, 'x')}, violations);
    CHECK(violations.empty());
}

}  // namespace stele::archives
