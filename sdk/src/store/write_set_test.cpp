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

TEST_CASE("what counts behind an own put takes no more memory however often") {
    WriteSet set;
    set.put("count", counter_bytes(5));
    const std::size_t once = set.size();
    for (int i = 0; i < 1000; ++i)
        set.add("count", 2);
    CHECK(set.size() == once);
    CHECK(read_counter(std::string(set.find("count")->value)) == 2005);
    set.put("count", "no count");
    set.remove("count");
    set.add("count", 3);
    CHECK(read_counter(std::string(set.find("count")->value)) == 3);
}

}  // namespace stele::sdk::optimistic
