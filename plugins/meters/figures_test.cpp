#include "figures.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace stele::meters {

TEST_CASE("percentages are parts of a maximum, and stay between 0 and 100") {
    CHECK(percentage(0, 10) == 0);
    CHECK(percentage(5, 10) == 50);
    CHECK(percentage(10, 10) == 100);
    CHECK(percentage(20, 10) == 100);
    CHECK(percentage(5, 0) == 0);
    CHECK(percentage(5, -1) == 0);
}

TEST_CASE("percentages have two decimals, the nearer ones") {
    CHECK(percentage(1, 3) == 33.33);
    CHECK(percentage(2, 3) == 66.67);
    CHECK(percentage(1, 6) == 16.67);
    CHECK(percentage(1, 10'000) == 0.01);
    CHECK(percentage(1, 1000) == 0.1);
    CHECK(percentage(49, 1'000'000) == 0);
    CHECK(percentage(51, 1'000'000) == 0.01);
    CHECK(percentage(999'949, 1'000'000) == 99.99);
    CHECK(percentage(999'951, 1'000'000) == 100);
}

TEST_CASE("billable is what exceeds the allowance") {
    CHECK(billable(10, 4) == 6);
    CHECK(billable(5, 4) == 1);
    CHECK(billable(4, 4) == 0);
    CHECK(billable(3, 4) == 0);
    CHECK(billable(1, 4) == 0);
    CHECK(billable(10, 0) == 10);
    CHECK(billable(10, -1) == 0);
}

TEST_CASE("the figures of a meter follow from what was counted and the plan") {
    const sdk::Json made = figures({3, 150}, {1, 7}, {100, 200});
    CHECK(made["rawByteCount"] == 150);
    CHECK(made["rawByteCountPercentage"] == 75.0);
    CHECK(made["billableByteCount"] == 50);
    CHECK(made["billableByteCountPercentage"] == 25.0);
    CHECK(made["unprocessedByteCount"] == 7);
    CHECK(made["rawObjectCount"] == 3);
    CHECK(made["unprocessedObjectCount"] == 1);
    CHECK(made["maxByteCount"] == 200);
    CHECK(made["maxObjectCount"] == -1);
    CHECK(made.size() == 12);
}

}  // namespace stele::meters
