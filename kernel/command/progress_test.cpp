#include "kernel/command/progress.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::command {

using std::chrono::milliseconds;

TEST_CASE("a line of a job has a bar of what is counted, what was written, and the time left") {
    CHECK(job_line("Exporting", {.done = 100, .total = 400, .bytes = 3 << 20, .total_bytes = 0},
                   milliseconds(90'000)) ==
          "Exporting [#######.......................] 100 of 400 records, 3.0 MiB, 2 min left");
    CHECK(job_line("Importing", {.done = 400, .total = 400, .bytes = 9, .total_bytes = 9}, {}) ==
          "Importing [##############################] 400 of 400 records");
}

TEST_CASE(
    "a line of a job goes by bytes, or has no bar, while nobody knows what is to be counted") {
    CHECK(job_line("Importing", {.bytes = 512, .total_bytes = 1024}, milliseconds(1)) ==
          "Importing [###############...............] 512 bytes of 1.0 KiB, 1 s left");
    CHECK(job_line("Exporting", {.done = 3, .bytes = 10}, {}) == "Exporting 3 records, 10 bytes");
    CHECK(job_line("Exporting", {}, {}) == "Exporting");
}

TEST_CASE("more than was expected fills the bar") {
    CHECK(job_line("Exporting", {.done = 5, .total = 4}, {}) ==
          "Exporting [##############################] 5 of 4 records");
}

TEST_CASE("durations are rounded up and told in the units that people use") {
    CHECK(shown_duration(milliseconds(1)) == "1 s");
    CHECK(shown_duration(milliseconds(59'001)) == "1 min");
    CHECK(shown_duration(milliseconds(59 * 60'000)) == "59 min");
    CHECK(shown_duration(milliseconds(59 * 60'000 + 1)) == "1 h 0 min");
    CHECK(shown_duration(milliseconds(125 * 60'000)) == "2 h 5 min");
}

}  // namespace stele::kernel::command
