#include "documents/package_room.hpp"

#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/error.hpp>

namespace stele::archives {

namespace {

using Share = PackageRoom::Share;

std::string code_of(const sdk::Result<void>& taken) {
    return taken.has_error() ? taken.error().code : "";
}

}  // namespace

TEST_CASE("a package has as much room as one may have, in however many pieces it comes") {
    PackageRoom room(100);
    Share share(room, "a");
    for (int i = 0; i < 10; ++i)
        CHECK(share.take(10).has_value());
    CHECK(code_of(share.take(1)) == "archives.package_too_large");
    CHECK(share.take(0).has_value());
    Share other(room, "b");
    CHECK(code_of(other.take(101)) == "archives.package_too_large");
    CHECK(other.take(100).has_value());
}

TEST_CASE("packages of one person share the room of one, and give it back when they go") {
    PackageRoom room(100);
    auto first = std::make_unique<Share>(room, "a");
    CHECK(first->take(60).has_value());
    Share second(room, "a");
    CHECK(code_of(second.take(50)) == "archives.packages_busy");
    CHECK(second.take(40).has_value());
    const Share moved(std::move(*first));
    first.reset();
    CHECK(code_of(second.take(1)) == "archives.packages_busy");
    {
        Share third(room, "b");
        CHECK(third.take(100).has_value());
    }
    Share fourth(room, "b");
    CHECK(fourth.take(100).has_value());
}

TEST_CASE("those of all people have the room of four") {
    PackageRoom room(100);
    std::vector<std::unique_ptr<Share>> shares;
    for (const char* holder : {"a", "b", "c", "d"}) {
        shares.push_back(std::make_unique<Share>(room, holder));
        CHECK(shares.back()->take(100).has_value());
    }
    Share late(room, "e");
    CHECK(code_of(late.take(1)) == "archives.packages_busy");
    shares.pop_back();
    CHECK(late.take(100).has_value());
}

}  // namespace stele::archives
