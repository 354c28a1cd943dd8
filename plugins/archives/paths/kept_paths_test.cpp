// What is remembered of paths.
#include <catch2/catch.hpp>

#include "paths/kept_paths.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::archives {

TEST_CASE("a list of paths has each once, in the order in which they came") {
    PathList list({});
    CHECK(list.add("b").value());
    CHECK(list.add("a").value());
    CHECK_FALSE(list.add("b").value());
    CHECK(list.size() == 2);
    CHECK(list.place_of("b").value() == 0u);
    CHECK(list.place_of("a").value() == 1u);
    CHECK_FALSE(list.place_of("c").value().has_value());
    CHECK(list.at(0).value() == "b");
    CHECK(list.at(1).value() == "a");
}

TEST_CASE("paths are found by their folders, however many there are") {
    const testing::TemporaryFolder folder;
    PathsByFolder paths(folder.path());
    CHECK(paths.in("one").value().empty());
    for (int i = 0; i < 30'000; ++i) {
        const std::string name = "f" + std::to_string(i);
        REQUIRE(paths.add(name, name + "/attachments/a").has_value());
        REQUIRE(paths.add(name, name + "/attachments/b").has_value());
    }
    for (const char* name : {"f0", "f17", "f29999"}) {
        CHECK(paths.in(name).value() ==
              std::vector<std::string>{name + std::string("/attachments/a"),
                                       name + std::string("/attachments/b")});
    }
    CHECK(paths.in("f30000").value().empty());
    CHECK(paths.in("").value().empty());
}

TEST_CASE("a folder with too many files is refused when it is read") {
    PathsByFolder paths({});
    for (int i = 0; i < 100'000; ++i)
        REQUIRE(paths.add("f", "f/attachments/" + std::to_string(i)).has_value());
    CHECK(paths.in("f").value().size() == 100'000);
    REQUIRE(paths.add("f", "f/attachments/more").has_value());
    const auto refused = paths.in("f");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == "archives.transfer_too_large");
}

TEST_CASE("numbers come back out of their texts") {
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{258}, ~std::uint64_t{0}})
        CHECK(number_of_text(number_text(number)) == number);
}

}  // namespace stele::archives
