// Transactions that move on to the present state (stele/sdk/movable_snapshot.hpp).
#include <catch2/catch.hpp>

#include <stele/sdk/movable_snapshot.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"

namespace stele::testing {

namespace {

constexpr std::size_t kHistoryBytes = 1024 * 1024;

/// With a first commit, and what makes the history long.
struct Store {
    Store() {
        auto opened = kernel::storage::open_leveldb(
            folder.path(), {.history_bytes = kHistoryBytes, .is_durable = false});
        if (!opened) FAIL(opened.error().message);
        engine = *std::move(opened);
        put(*engine, "a", "1");
        put(*engine, "b", "1");
    }
    /// A part of what a history keeps.
    void write_much(double part) const {
        constexpr std::size_t kKeySize = kHistoryBytes / 64;
        const auto most =
            static_cast<std::size_t>(part * static_cast<double>(kHistoryBytes / kKeySize));
        for (std::size_t i = 0; i < most; ++i)
            put(*engine, std::string(kKeySize, 'x'), "");
    }

    const TemporaryFolder folder;
    std::unique_ptr<sdk::Engine> engine;
};

}  // namespace

TEST_CASE("a transaction that moves on in time outlives the history") {
    const Store store;
    const auto transaction = store.engine->begin();
    const auto other = store.engine->begin();
    for (sdk::Transaction* const one : {transaction.get(), other.get()}) {
        CHECK(value_of(*one, "a") == "1");
        CHECK(entries(*one, {"a", "c"}) == "a=1 b=1 ");
        one->put(one == other.get() ? "other" : "mine", "1");
    }
    for (int i = 0; i < 6; ++i) {
        store.write_much(0.5);
        sdk::move_on(*transaction);
    }
    CHECK(value_of(*transaction, "mine") == "1");
    CHECK(value_of(*transaction, "a") == "1");
    CHECK(commits(*transaction));
    CHECK_FALSE(commits(*other));
}

TEST_CASE("a transaction moves on at once where that is asked for, however little was committed") {
    const Store store;
    const auto transaction = store.engine->begin();
    CHECK(value_of(*transaction, "a") == "1");
    put(*store.engine, "b", "2");
    CHECK_FALSE(*sdk::move_on(*transaction));
    CHECK(*sdk::move_on(*transaction, sdk::MoveOn::at_once));
    CHECK(value_of(*transaction, "b") == "2");
    put(*store.engine, "a", "2");
    for (int i = 0; i < 2; ++i) {
        const auto moved = sdk::move_on(*transaction, sdk::MoveOn::at_once);
        REQUIRE_FALSE(moved);
        CHECK(moved.error().kind == sdk::ErrorKind::conflict);
    }
    CHECK(value_of(*transaction, "a") == "1");
    transaction->put("mine", "1");
    CHECK_FALSE(commits(*transaction));
}

TEST_CASE("a transaction that has moved on reads the present state, and is told what it has read") {
    const Store store;
    const auto transaction = store.engine->begin();
    CHECK(value_of(*transaction, "a") == "1");
    transaction->put("mine", "1");
    put(*store.engine, "b", "2");
    put(*store.engine, "c", "1");
    sdk::move_on(*transaction);
    // Too little was committed.
    CHECK(value_of(*transaction, "b") == "1");
    const auto stays = store.engine->begin();
    CHECK(value_of(*stays, "b") == "2");
    store.write_much(0.5);
    put(*store.engine, "b", "3");
    sdk::move_on(*transaction);
    // It has read another value of `b`.
    CHECK(value_of(*transaction, "b") == "1");
    CHECK_FALSE(commits(*transaction));

    const auto moved = store.engine->begin();
    CHECK(value_of(*moved, "a") == "1");
    moved->put("mine", "2");
    store.write_much(0.5);
    put(*store.engine, "b", "4");
    sdk::move_on(*moved);
    CHECK(value_of(*moved, "b") == "4");
    CHECK(entries(*moved, {"a", "d"}) == "a=1 b=4 c=1 ");
    // What was read before still counts.
    SECTION("a key from before") {
        put(*store.engine, "a", "2");
        CHECK_FALSE(commits(*moved));
    }
    SECTION("a range from behind") {
        put(*store.engine, "bb", "2");
        CHECK_FALSE(commits(*moved));
    }
    SECTION("none of both") {
        put(*store.engine, "e", "2");
        CHECK(commits(*moved));
        CHECK(value_of(*store.engine, "mine") == "2");
    }
}

TEST_CASE("what older transactions keep in the history moves nobody on") {
    const Store store;
    const auto oldest = store.engine->begin();
    CHECK(value_of(*oldest, "a") == "1");
    store.write_much(0.5);
    const auto transaction = store.engine->begin();
    CHECK(value_of(*transaction, "a") == "1");
    transaction->put("mine", "1");
    put(*store.engine, "b", "2");
    sdk::move_on(*transaction);
    // Since it began little was committed.
    CHECK(value_of(*transaction, "b") == "1");

    const auto moved = store.engine->begin();
    CHECK(value_of(*moved, "a") == "1");
    moved->put("mine", "1");
    store.write_much(0.3);
    put(*store.engine, "b", "3");
    sdk::move_on(*moved);
    CHECK(value_of(*moved, "b") == "3");
    // It begins there, so little has come since once more.
    put(*store.engine, "c", "1");
    sdk::move_on(*moved);
    CHECK(value_of(*moved, "c") == "-");
}

TEST_CASE("a transaction stays where it is while a cursor of it walks") {
    const Store store;
    const auto transaction = store.engine->begin();
    {
        const auto cursor = transaction->scan({"a", "c"}, sdk::ScanDirection::forward);
        REQUIRE(cursor->is_valid());
        store.write_much(0.5);
        put(*store.engine, "b", "2");
        sdk::move_on(*transaction);
        CHECK(value_of(*transaction, "a") == "1");
        cursor->next();
        REQUIRE(cursor->is_valid());
        CHECK(cursor->value() == "1");
    }
    transaction->put("mine", "1");
    CHECK_FALSE(commits(*transaction));
}

}  // namespace stele::testing
