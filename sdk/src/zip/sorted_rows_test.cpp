// Rows that are sorted outside of memory.
#include <algorithm>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "sdk/testing/temporary_folder.hpp"
#include "sorted_rows.hpp"

namespace stele::sdk::zip {

namespace {

using Row = SortedRows::Row;

std::vector<Row> all_of(const SortedRows& rows) {
    std::vector<Row> all;
    auto walked = rows.for_each([&all](const Row& row) -> Result<bool> {
        all.push_back(row);
        return true;
    });
    REQUIRE(walked.has_value());
    return all;
}

void check_searches(const SortedRows& rows, const std::vector<Row>& expected,
                    std::mt19937_64& random) {
    for (int i = 0; i < 2000; ++i) {
        Row wanted{random(), random() % 3};
        if (i % 2 == 0) wanted = expected[random() % expected.size()];
        if (i % 6 == 0) ++wanted.second;
        const auto found = rows.first_from(wanted);
        REQUIRE(found.has_value());
        const auto known = std::lower_bound(expected.begin(), expected.end(), wanted);
        REQUIRE(found->has_value() == (known != expected.end()));
        if (*found) REQUIRE(**found == *known);
    }
}

}  // namespace

TEST_CASE("rows are in their order, however many were added, and are found") {
    const stele::testing::TemporaryFolder folder;
    std::mt19937_64 random(11);
    // Nothing, in memory, a full memory, several runs and a rest, whole pages.
    for (const std::size_t count : {1, 1000, 65'536, 65'537, 300'001, 327'680}) {
        for (const bool is_on_disk : {true, false}) {
            CAPTURE(count, is_on_disk);
            SortedRows rows(is_on_disk ? folder.path() : std::filesystem::path());
            std::vector<Row> expected;
            for (std::size_t i = 0; i < count; ++i) {
                expected.push_back({random(), i % 3});
                REQUIRE(rows.add(expected.back()).has_value());
            }
            std::sort(expected.begin(), expected.end());
            REQUIRE(rows.sort().has_value());
            CHECK(rows.size() == count);
            CHECK(all_of(rows) == expected);
            check_searches(rows, expected, random);
        }
    }
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("of rows with one first number the lowest is kept, however often they are sorted") {
    const stele::testing::TemporaryFolder folder;
    SortedRows rows(folder.path(), true);
    constexpr std::uint64_t kDifferent = 70'000;
    for (std::uint64_t second : {7, 5, 9}) {
        for (std::uint64_t i = 0; i < kDifferent; ++i)
            REQUIRE(rows.add({(i * 31) % kDifferent, second}).has_value());
        if (second == 5) REQUIRE(rows.sort().has_value());
    }
    CHECK(rows.size() > kDifferent);
    REQUIRE(rows.sort().has_value());
    CHECK(rows.size() == kDifferent);
    const std::vector<Row> all = all_of(rows);
    REQUIRE(all.size() == kDifferent);
    for (std::uint64_t i = 0; i < kDifferent; ++i)
        REQUIRE(all[i] == Row{i, 5});
}

TEST_CASE("rows that cannot be kept are a failure") {
    SortedRows rows("/nowhere/at/all");
    Result<void> added;
    for (std::uint64_t i = 0; added && i < 70'000; ++i)
        added = rows.add({i, i});
    REQUIRE_FALSE(added.has_value());
    CHECK(added.error().code == "zip.disk_failed");
}

}  // namespace stele::sdk::zip
