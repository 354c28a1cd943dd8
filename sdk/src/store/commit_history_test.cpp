#include <random>

#include <catch2/catch.hpp>

#include <stele/sdk/optimistic/commit_history.hpp>
#include <stele/sdk/optimistic/key_hash.hpp>

namespace stele::sdk::optimistic {

namespace {

void commit(CommitHistory& history, std::uint64_t version, const std::string& key) {
    history.begin_batch(version);
    history.add(key, hash_key(key));
}

ReadSet reads_of(const std::string& key) {
    ReadSet reads;
    reads.add_key(hash_key(key));
    return reads;
}

}  // namespace

TEST_CASE("what was read conflicts with later writes of it, by key and by range") {
    CommitHistory history;
    commit(history, 1, "a");
    commit(history, 2, "b");
    commit(history, 3, "c");
    for (const auto& [key, version, is_conflict] : {std::tuple("a", 0, true),
                                                    {"a", 1, false},
                                                    {"b", 1, true},
                                                    {"b", 2, false},
                                                    {"c", 2, true},
                                                    {"d", 0, false}}) {
        INFO(key << " at " << version);
        CHECK(history.has_conflict(reads_of(key), version) == is_conflict);
    }
    ReadSet reads;
    reads.range(reads.add_range()) = {"b", "c", false};
    CHECK(history.has_conflict(reads, 1));
    CHECK_FALSE(history.has_conflict(reads, 2));
}

TEST_CASE("reads that nobody will ask for are not kept") {
    ReadSet reads;
    reads.keep_nothing();
    reads.add_key(hash_key("a"));
    reads.cursor_opened();
    const std::size_t first = reads.add_range();
    reads.cursor_opened();
    reads.add_range();
    reads.cursor_closed();
    // The other cursor adds to it still.
    reads.range(first) = {"a", "b", false};
    CHECK(reads.ranges().size() == 2);
    reads.cursor_closed();
    CHECK(reads.keys().empty());
    CHECK(reads.ranges().empty());
}

TEST_CASE("joined ranges hold what each of them held") {
    for (int seed = 0; seed < 2000; ++seed) {
        INFO("seed " << seed);
        std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
        const auto letters = [&](std::size_t most) {
            std::string text;
            for (std::size_t size = random() % (most + 1); size > 0; --size)
                text.push_back("abc"[random() % 3]);
            return text;
        };
        ReadSet apart;
        for (std::size_t count = random() % 12; count > 0; --count)
            apart.range(apart.add_range()) = {letters(3), letters(3), random() % 5 == 0};
        ReadSet joined = apart;
        joined.join_ranges();
        CommitHistory history;
        history.begin_batch(1);
        bool is_written = false;
        for (std::size_t count = random() % 8; count > 0; --count) {
            const std::string key = letters(4);
            history.add(key, hash_key(key));
            for (const ReadSet::Range& range : apart.ranges()) {
                is_written |=
                    !range.is_empty && range.begin <= key && (range.end.empty() || key < range.end);
            }
        }
        REQUIRE(history.has_conflict(apart, 0) == is_written);
        REQUIRE(history.has_conflict(joined, 0) == is_written);
        REQUIRE_FALSE(history.has_conflict(joined, 1));
    }
}

TEST_CASE("who read before what is remembered conflicts, whatever was written since") {
    CommitHistory history;
    commit(history, 1, "a");
    history.forget_up_to(3);
    commit(history, 4, "b");
    CHECK(history.has_conflict(reads_of("unwritten"), 2));
    CHECK_FALSE(history.has_conflict(reads_of("unwritten"), 3));
    CHECK(history.has_conflict(reads_of("b"), 3));
    CHECK_FALSE(history.has_conflict(ReadSet(), 0));
}

}  // namespace stele::sdk::optimistic
