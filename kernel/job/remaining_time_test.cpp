#include "kernel/job/remaining_time.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::job {

TEST_CASE("the time that is left goes by the rate since the first of what is counted") {
    RemainingTime time;
    // Ten seconds pass before anything is counted.
    time.note({.done = 0, .total = 100}, 1'000);
    CHECK(time.milliseconds() == 0);
    time.note({.done = 0, .total = 100}, 11'000);
    time.note({.done = 25, .total = 100}, 13'000);
    CHECK(time.milliseconds() == 6'000);
    time.note({.done = 50, .total = 200}, 15'000);
    CHECK(time.milliseconds() == 12'000);
}

TEST_CASE("bytes tell the time that is left until the total of what is counted is known") {
    RemainingTime time;
    time.note({.total_bytes = 1000}, 1'000);
    time.note({.bytes = 500, .total_bytes = 1000}, 2'000);
    CHECK(time.milliseconds() == 1'000);
    time.note({.done = 10, .total = 20, .bytes = 1000, .total_bytes = 1000}, 3'000);
    CHECK(time.milliseconds() == 0);
    time.note({.done = 11, .total = 20, .bytes = 1000, .total_bytes = 1000}, 4'000);
    CHECK(time.milliseconds() == 9'000);
}

TEST_CASE(
    "nothing is said of the time that is left without a total, at the end and after a new "
    "beginning") {
    RemainingTime time;
    time.note({.done = 1}, 1'000);
    time.note({.done = 2}, 2'000);
    CHECK(time.milliseconds() == 0);
    time.note({.done = 5, .total = 5}, 3'000);
    CHECK(time.milliseconds() == 0);
    time.note({.done = 2, .total = 5}, 4'000);
    CHECK(time.milliseconds() == 0);
    time.note({.done = 3, .total = 5}, 5'000);
    CHECK(time.milliseconds() == 2'000);
}

}  // namespace stele::kernel::job
