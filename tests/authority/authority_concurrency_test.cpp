#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/authority/authority_cache.hpp"
#include "kernel/authority/authority_store.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "tests/authority/authority_fakes.hpp"

namespace stele::kernel::authority::testing {

namespace {

constexpr std::uint64_t kContestedPlatform = 1;

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

TEST_CASE("no check answers a decision that an acknowledged commit has made void") {
    FakeTree tree;
    const auto root = record_key(kContestedPlatform, 1, 0);
    const auto store_record = record_key(kContestedPlatform, 2, 1);
    const auto leaf = record_key(kContestedPlatform, 100, 1);
    const auto other_leaf = record_key(kContestedPlatform, 100, 2);
    const auto group = record_key(kContestedPlatform, 150, 9);
    tree.containers = {{store_record, root}, {leaf, store_record}, {other_leaf, store_record}};
    sdk::testing::MemoryEngine engine;
    AuthorityStore store(tree);
    AuthorityCache cache(store, tree, engine);
    write(engine, [&](sdk::Transaction& transaction) {
        return store.grant(transaction, other_leaf, group, "consumer");
    });

    std::array<Contested, 3> rights;
    for (std::size_t i = 0; i < rights.size(); ++i)
        rights[i].user = record_key(kContestedPlatform, 150, i + 1);
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
                const auto held = latest_permissions(cache, engine, right.user, right.record);
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
                    const auto held = latest_permissions(cache, engine, right.user, right.record);
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

namespace {

void linger() {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
}

/// A record on which a right comes and goes, together with a note of whether it is given.
struct NotedRight {
    static constexpr std::string_view kNote = "note";

    FakeTree tree;
    sdk::RecordKey root = record_key(kContestedPlatform, 1, 0);
    sdk::RecordKey shop = record_key(kContestedPlatform, 2, 1);
    sdk::RecordKey leaf = record_key(kContestedPlatform, 100, 1);
    sdk::RecordKey user = record_key(kContestedPlatform, 150, 1);
    sdk::RecordKey group = record_key(kContestedPlatform, 150, 2);
    sdk::testing::MemoryEngine engine;
    AuthorityStore store{tree};
    // The cache hears of a commit some time after it has become visible.
    bool is_slow = (engine.observe("", [](const sdk::CommitNotice&) { linger(); }), true);
    AuthorityCache cache{store, tree, engine};

    NotedRight() {
        tree.containers = {{shop, root}, {leaf, shop}};
        write(engine, [this](sdk::Transaction& transaction) {
            return store.grant(transaction, leaf, group, "consumer");
        });
    }

    /// One commit gives or takes, in one of three ways, and notes it.
    sdk::Result<void> change(sdk::Transaction& transaction, int way, bool is_given) {
        transaction.put(kNote, is_given ? "given" : "taken");
        if (way == 0) {
            return is_given ? store.grant(transaction, leaf, user, "consumer")
                            : store.revoke(transaction, leaf, user, "consumer");
        }
        if (way == 1) {
            return is_given ? store.grant(transaction, shop, user, "consumer", true)
                            : store.revoke(transaction, shop, user, "all");
        }
        return is_given ? store.add_member(transaction, group, user, sdk::PrincipalKind::user)
                        : store.remove_member(transaction, group, user);
    }
};

}  // namespace

TEST_CASE_METHOD(NotedRight, "every reader gets the decision of the very state that it shows") {
    constexpr int kRounds = 600;
    std::atomic<bool> is_over{false};
    std::atomic<int> wrong{0};
    std::atomic<int> failures{0};
    std::atomic<std::uint64_t> given{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
        readers.emplace_back([&, i] {
            while (!is_over) {
                const Moment moment = cache.moment();
                const auto reader = engine.snapshot();
                if (i == 0) linger();
                const auto held = cache.permissions(*reader, moment, user, leaf);
                const auto note = reader->get(kNote);
                if (!held || !note) {
                    ++failures;
                    continue;
                }
                const bool is_given = note->value_or("taken") == "given";
                given += is_given;
                wrong += held->has(sdk::Permission::read) != is_given;
            }
        });
    }
    for (int round = 0; round < kRounds; ++round) {
        for (const bool is_given : {true, false}) {
            failures += !sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) {
                             return change(transaction, round % 3, is_given);
                         }).has_value();
        }
    }
    is_over = true;
    for (std::thread& reader : readers)
        reader.join();
    CHECK(wrong == 0);
    CHECK(failures == 0);
    CHECK(given > 0);
}

TEST_CASE_METHOD(NotedRight, "nothing that a right allowed is committed after it was taken away") {
    constexpr int kRounds = 300;
    // Told in the order of the commits.
    std::atomic<bool> is_given{false};
    std::atomic<int> wrong{0};
    std::atomic<int> done{0};
    engine.observe("", [&](const sdk::CommitNotice& commit) {
        for (const std::string_view key : commit.keys) {
            if (key == kNote) is_given = !is_given;
            if (!key.starts_with("work")) continue;
            ++done;
            wrong += !is_given;
        }
    });
    std::atomic<bool> is_over{false};
    std::atomic<int> failures{0};
    std::vector<std::thread> workers;
    for (int i = 0; i < 2; ++i) {
        workers.emplace_back([&, i] {
            const std::string key = "work" + std::to_string(i);
            while (!is_over) {
                const Moment moment = cache.moment();
                const auto transaction = engine.begin();
                const auto held = cache.permissions(*transaction, moment, user, leaf);
                if (!held) ++failures;
                if (!held || !held->has(sdk::Permission::read)) continue;
                transaction->put(key, "");
                if (i == 0) linger();
                const auto tied = AuthorityStore::hold_decisions(*transaction, kContestedPlatform);
                const auto committed = sdk::commit_and_wait(*transaction);
                const bool is_conflict = !committed && committed.error().code == "engine.conflict";
                failures += !tied || (!committed && !is_conflict);
            }
        });
    }
    for (int round = 0; round < kRounds; ++round) {
        for (const bool is_to_be_given : {true, false}) {
            failures += !sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) {
                             return change(transaction, round % 3, is_to_be_given);
                         }).has_value();
        }
    }
    is_over = true;
    for (std::thread& worker : workers)
        worker.join();
    CHECK(wrong == 0);
    CHECK(failures == 0);
    CHECK(done > 0);
}

}  // namespace stele::kernel::authority::testing
