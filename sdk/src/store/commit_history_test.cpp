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
