#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/authority/authority_cache.hpp"
#include "kernel/authority/authority_store.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "tests/authority/authority_fakes.hpp"

namespace stele::kernel::authority::testing {

namespace {

constexpr std::uint64_t kPlatform = 1;

/// A right that one writer gives and takes while others ask for it.
struct Contested {
    sdk::RecordKey user;
    sdk::RecordKey record;
    std::function<sdk::Result<void>(sdk::Transaction&)> give;
    std::function<sdk::Result<void>(sdk::Transaction&)> take;
    /// Four phases a round: taken, being given, given, being taken.
    std::atomic<std::uint64_t> phase{0};
};

enum Phase : std::uint64_t { taken = 0, given = 2, phase_count = 4 };

}  // namespace

TEST_CASE("No check answers a decision that an acknowledged commit has made void") {
    FakeTree tree;
    const auto root = record_key(kPlatform, 1, 0);
    const auto store_record = record_key(kPlatform, 2, 1);
    const auto leaf = record_key(kPlatform, 100, 1);
    const auto other_leaf = record_key(kPlatform, 100, 2);
    const auto group = record_key(kPlatform, 150, 9);
    tree.containers = {{store_record, root}, {leaf, store_record}, {other_leaf, store_record}};
    sdk::testing::MemoryEngine engine;
    AuthorityStore store(tree);
    AuthorityCache cache(store, tree, engine);
    write(engine, [&](sdk::Transaction& transaction) {
        return store.grant(transaction, other_leaf, group, "consumer");
    });

    std::array<Contested, 3> rights;
    for (std::size_t i = 0; i < rights.size(); ++i)
        rights[i].user = record_key(kPlatform, 150, i + 1);
    rights[0].record = leaf;  // by a grant on a plain record
    rights[0].give = [&](sdk::Transaction& transaction) {
        return store.grant(transaction, leaf, rights[0].user, "consumer");
    };
    rights[0].take = [&](sdk::Transaction& transaction) {
        return store.revoke(transaction, leaf, rights[0].user, "consumer");
    };
    rights[1].record = leaf;  // by a grant that reaches inside
    rights[1].give = [&](sdk::Transaction& transaction) {
        return store.grant(transaction, store_record, rights[1].user, "consumer", true);
    };
    rights[1].take = [&](sdk::Transaction& transaction) {
        return store.revoke(transaction, store_record, rights[1].user, "all");
    };
    rights[2].record = other_leaf;  // by a membership
    rights[2].give = [&](sdk::Transaction& transaction) {
        return store.add_member(transaction, group, rights[2].user, sdk::PrincipalKind::user);
    };
    rights[2].take = [&](sdk::Transaction& transaction) {
        return store.remove_member(transaction, group, rights[2].user);
    };

    constexpr int kRounds = 300;
    std::atomic<int> writers_left{static_cast<int>(rights.size())};
    std::atomic<int> wrong{0};
    std::atomic<int> failures{0};
    std::atomic<std::uint64_t> settled{0};
    std::vector<std::thread> threads;
    for (Contested& right : rights) {
        threads.emplace_back([&engine, &writers_left, &failures, &cache, &wrong, &right] {
            // The writer is the first who must see its own change.
            const auto is_wrong = [&](bool expected) {
                const auto held = cache.permissions(nullptr, right.user, right.record);
                return !held || held->has(sdk::Permission::read) != expected;
            };
            for (int round = 0; round < kRounds; ++round) {
                ++right.phase;
                failures += !sdk::write_with_retry(engine, right.give).has_value();
                ++right.phase;
                wrong += is_wrong(true);
                ++right.phase;
                failures += !sdk::write_with_retry(engine, right.take).has_value();
                ++right.phase;
                wrong += is_wrong(false);
            }
            --writers_left;
        });
    }
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            while (writers_left > 0) {
                for (Contested& right : rights) {
                    const std::uint64_t before = right.phase;
                    const auto held = cache.permissions(nullptr, right.user, right.record);
                    const std::uint64_t phase = before % phase_count;
                    if (!held) ++failures;
                    if (!held || right.phase != before || (phase != taken && phase != given))
                        continue;
                    ++settled;
                    wrong += held->has(sdk::Permission::read) != (phase == given);
                }
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    CHECK(wrong == 0);
    CHECK(failures == 0);
    CHECK(settled > 0);
}

}  // namespace stele::kernel::authority::testing
