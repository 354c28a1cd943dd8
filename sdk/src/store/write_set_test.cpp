#include <catch2/catch.hpp>

#include <stele/sdk/optimistic/write_set.hpp>

namespace stele::sdk::optimistic {

TEST_CASE("of several bounds of a counter the lowest holds, whichever came first") {
    for (const auto& [first, second] : {std::pair(10, 100), {100, 10}, {10, 10}}) {
        INFO(first << " then " << second);
        WriteSet writes;
        writes.add_within("count", 5, first);
        writes.add_within("count", 1, second);
        writes.add("count", 2);
        const WriteSet::Write* const write = writes.find("count");
        REQUIRE(write != nullptr);
        CHECK(write->kind == WriteSet::Kind::add);
        CHECK(write->delta == 8);
        CHECK(write->most == 10);
    }
}

}  // namespace stele::sdk::optimistic
