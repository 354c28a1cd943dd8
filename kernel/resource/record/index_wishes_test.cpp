#include "kernel/resource/record/index_wishes.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::resource {

TEST_CASE("an index that lists want is told of once an hour, and every list is counted") {
    IndexWishes wishes;
    const auto begin = IndexWishes::Clock::now();
    const storage::WantedIndex wanted{{"kind", "price"}, 1200, 25};
    const auto line = wishes.note("POST /things/query", wanted, begin);
    REQUIRE(line.has_value());
    CHECK(*line ==
          "POST /things/query looked at 1200 entries and records for 25 rows; an index of these "
          "members would find them at once: kind, price");
    CHECK_FALSE(wishes.note("POST /things/query", wanted, begin + std::chrono::minutes(59)));
    CHECK(wishes.note("POST /others/query", wanted, begin));
    CHECK(wishes.note("POST /things/query", {{"kind"}, 1200, 25}, begin));
    CHECK(wishes.note("POST /things/query", wanted, begin + std::chrono::minutes(61)));
    CHECK(wishes.metrics().ends_with("\nstele_lists_wanting_index_total 5\n"));
}

TEST_CASE("callers cannot fill the log with indexes that their lists want") {
    IndexWishes wishes;
    const auto begin = IndexWishes::Clock::now();
    int told = 0;
    const auto ask = [&](const std::string& member, IndexWishes::Clock::time_point now) {
        if (wishes.note("POST /things/query", {{"kind", member}, 1200, 25}, now)) ++told;
    };
    for (int i = 0; i < 1000; ++i)
        ask("m" + std::to_string(i), begin);
    CHECK(told == 20);
    ask("another", begin + std::chrono::minutes(61));
    CHECK(told == 21);
}

}  // namespace stele::kernel::resource
