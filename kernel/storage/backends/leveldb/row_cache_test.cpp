#include "kernel/storage/backends/leveldb/row_cache.hpp"

#include <array>

#include <catch2/catch.hpp>

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kBytes = 1024 * 1024;

/// What a reader at `version` gets without asking LevelDB: the value, "absent" or "unknown".
std::string known(RowCache& rows, std::string_view key, std::uint64_t version) {
    std::string value = "untouched";
    const std::optional<bool> is_present = rows.find(key, version, value);
    if (!is_present || !*is_present) CHECK(value == "untouched");
    if (!is_present) return "unknown";
    return *is_present ? value : "absent";
}

/// A key of two words whose hash does not depend on the first: the second brings it back to zero.
std::string colliding_key(std::uint64_t first) {
    using sdk::optimistic::detail::multiply_and_fold;
    constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
    constexpr std::uint64_t kSecond = 0xe7037ed1a0b428db;
    const std::uint64_t start = multiply_and_fold(2 * sizeof(first) ^ kFirst, kSecond);
    const std::array<std::uint64_t, 2> words{first, multiply_and_fold(start ^ first, kFirst)};
    return {reinterpret_cast<const char*>(words.data()), sizeof(words)};
}

}  // namespace

TEST_CASE("a row that a reader found is known to the next one") {
    RowCache rows(kBytes);
    CHECK(known(rows, "a", 1) == "unknown");
    rows.keep("a", 1, "1");
    rows.keep("empty", 1, "");
    CHECK(known(rows, "a", 1) == "1");
    CHECK(known(rows, "a", 7) == "1");
    CHECK(known(rows, "empty", 1).empty());
    CHECK(known(rows, "b", 1) == "unknown");
}

TEST_CASE("a row that a reader did not find is known to be absent until it is written") {
    RowCache rows(kBytes);
    rows.keep("a", 1, std::nullopt);
    CHECK(known(rows, "a", 1) == "absent");
    rows.forget("a", 2);
    CHECK(known(rows, "a", 1) == "unknown");
    rows.keep("a", 2, "1");
    CHECK(known(rows, "a", 2) == "1");
}

TEST_CASE("a written row is forgotten, and no other") {
    RowCache rows(kBytes);
    rows.keep("a", 1, "old");
    rows.keep("b", 1, "1");
    rows.forget("a", 2);
    CHECK(known(rows, "a", 2) == "unknown");
    CHECK(known(rows, "b", 2) == "1");
}

TEST_CASE("what a slow reader found before a commit is not kept after it") {
    RowCache rows(kBytes);
    rows.forget("a", 2);
    rows.keep("a", 1, "old");
    CHECK(known(rows, "a", 1) == "unknown");
    CHECK(known(rows, "a", 2) == "unknown");
    rows.keep("a", 2, "new");
    rows.keep("a", 1, "old");
    CHECK(known(rows, "a", 2) == "new");
}

TEST_CASE("what is kept between the write of a commit and its publication does not outlive it") {
    RowCache rows(kBytes);
    rows.keep("a", 1, "old");
    rows.forget("a", 2);
    CHECK(known(rows, "a", 2) == "unknown");
}

TEST_CASE("a row says nothing about snapshots before it was written") {
    RowCache rows(kBytes);
    rows.forget("a", 5);
    rows.keep("a", 6, "1");
    CHECK(known(rows, "a", 4) == "unknown");
    CHECK(known(rows, "a", 5) == "1");
}

TEST_CASE("keys with the same hash are told apart") {
    const std::string a = colliding_key(1);
    const std::string b = colliding_key(2);
    REQUIRE(sdk::optimistic::hash_key(a) == sdk::optimistic::hash_key(b));
    RowCache rows(kBytes);
    rows.keep(a, 1, "1");
    CHECK(known(rows, b, 1) == "unknown");
    rows.keep(b, 1, "2");
    CHECK(known(rows, a, 1) == "unknown");
    CHECK(known(rows, b, 1) == "2");
}

TEST_CASE("large values are not kept") {
    RowCache rows(kBytes);
    const std::string most(RowCache::kMaxValueBytes, 'x');
    rows.keep("most", 1, most);
    rows.keep("more", 1, most + "x");
    CHECK(known(rows, "most", 1) == most);
    CHECK(known(rows, "more", 1) == "unknown");
}

TEST_CASE("without memory nothing is kept") {
    RowCache rows(0);
    rows.keep("a", 1, "1");
    rows.forget("a", 2);
    CHECK(known(rows, "a", 2) == "unknown");
}

TEST_CASE("the rows fit into their memory, and those in use stay") {
    constexpr int kRows = 20'000;
    constexpr std::size_t kValueBytes = 1000;
    RowCache rows(kBytes);
    const std::string value(kValueBytes, 'x');
    rows.keep("hot", 1, "1");
    int lost = 0;
    for (int i = 0; i < kRows; ++i) {
        if (known(rows, "hot", 1) != "1") ++lost;
        rows.keep("cold" + std::to_string(i), 1, value);
    }
    CHECK(lost == 0);
    std::size_t kept = 0;
    for (int i = 0; i < kRows; ++i)
        if (known(rows, "cold" + std::to_string(i), 1) == value) ++kept;
    CHECK(kept * kValueBytes < kBytes);
    CHECK(kept * kValueBytes > kBytes / 2);
    CHECK(known(rows, "cold" + std::to_string(kRows - 1), 1) == value);
}

TEST_CASE("memory of forgotten rows is used again") {
    RowCache rows(kBytes);
    const std::string value(1000, 'x');
    for (std::uint64_t version = 1; version < 20'000; ++version) {
        rows.keep("hot", version, "1");
        rows.keep("written", version, value);
        rows.forget("written", version + 1);
    }
    CHECK(known(rows, "hot", 20'000) == "1");
}

}  // namespace stele::kernel::storage
