// Transactions that no commit checks (stele/sdk/unchecked_writes.hpp).
#include <future>
#include <thread>

#include <catch2/catch.hpp>

#include <stele/sdk/unchecked_writes.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"

namespace stele::testing {

namespace {

constexpr std::size_t kShortHistory = 1024 * 1024;

std::unique_ptr<sdk::Engine> open_store(const TemporaryFolder& folder) {
    auto engine = kernel::storage::open_leveldb(
        folder.path(), {.history_bytes = kShortHistory, .is_durable = false});
    if (!engine) FAIL(engine.error().message);
    return *std::move(engine);
}

std::unique_ptr<sdk::Transaction> begin_unchecked(sdk::Engine& engine) {
    auto transaction = engine.begin();
    auto* const unchecked = dynamic_cast<sdk::UncheckedWrites*>(transaction.get());
    REQUIRE(unchecked != nullptr);
    unchecked->set_unchecked();
    return transaction;
}

void put_unchecked(sdk::Engine& engine, std::string_view key, std::string_view value) {
    const auto transaction = begin_unchecked(engine);
    transaction->put(key, value);
    must_commit(*transaction);
}

}  // namespace

TEST_CASE("what is written without checks is there, also when the store is opened again") {
    const TemporaryFolder folder;
    {
        const auto engine = open_store(folder);
        put(*engine, "a", "old");
        put(*engine, "b", "old");
        const auto before = engine->snapshot();
        CHECK(value_of(*engine, "a") == "old");
        const auto transaction = begin_unchecked(*engine);
        transaction->put("a", "new");
        transaction->remove("b");
        transaction->put("c", "new");
        CHECK(entries(*transaction, {}) == "a=new c=new ");
        CHECK(entries(*engine, {}) == "a=old b=old ");
        must_commit(*transaction);
        // Rows that are kept in memory were told.
        CHECK(value_of(*engine, "a") == "new");
        CHECK(value_of(*engine, "b") == "-");
        CHECK(entries(*engine, {}) == "a=new c=new ");
        CHECK(entries(*before, {}) == "a=old b=old ");
        CHECK(value_of(*before, "b") == "old");
    }
    CHECK(entries(*open_store(folder), {}) == "a=new c=new ");
}

TEST_CASE("unchecked commits are in nobody's way, and nobody is in theirs") {
    const TemporaryFolder folder;
    const auto engine = open_store(folder);
    put(*engine, "a", "1");
    const auto reader = engine->begin();
    CHECK(value_of(*reader, "a") == "1");
    CHECK(entries(*reader, {}) == "a=1 ");
    reader->put("read", "1");
    const auto unchecked = begin_unchecked(*engine);
    CHECK(value_of(*unchecked, "a") == "1");
    unchecked->put("b", "1");
    put(*engine, "a", "2");
    CHECK(commits(*unchecked));
    // The other way round the same reads are a conflict.
    CHECK_FALSE(commits(*reader));
    const auto later = engine->begin();
    CHECK(entries(*later, {}) == "a=2 b=1 ");
    later->put("read", "2");
    put_unchecked(*engine, "b", "2");
    CHECK(commits(*later));
}

TEST_CASE("unchecked commits make the history of others no shorter") {
    const TemporaryFolder folder;
    const auto engine = open_store(folder);
    put(*engine, "b", "1");
    const auto reader = engine->begin();
    CHECK(value_of(*reader, "a") == "-");
    reader->put("read", "1");
    constexpr std::size_t kKeySize = kShortHistory / 64;
    for (std::size_t i = 0; i < kShortHistory / kKeySize + 2; ++i)
        put_unchecked(*engine, std::string(kKeySize, 'x'), "");
    CHECK(commits(*reader));
}

TEST_CASE("observers are told of checked commits only, also of those in one batch with others") {
    const TemporaryFolder folder;
    const auto engine = open_store(folder);
    std::string seen;
    engine->observe("k", [&seen](const sdk::CommitNotice& notice) {
        for (const std::string_view key : notice.keys)
            seen.append(key).push_back(' ');
    });
    put_unchecked(*engine, "k1", "1");
    std::vector<std::unique_ptr<sdk::Transaction>> transactions;
    for (int i = 2; i < 6; ++i) {
        transactions.push_back(i % 2 == 0 ? engine->begin() : begin_unchecked(*engine));
        transactions.back()->put("k" + std::to_string(i), "1");
    }
    REQUIRE(commit_all(transactions) == 4);
    CHECK(entries(*engine, {}) == "k1=1 k2=1 k3=1 k4=1 k5=1 ");
    CHECK(seen == "k2 k4 ");
}

TEST_CASE("a transaction shows what the one before it writes while that is being committed") {
    const TemporaryFolder folder;
    const auto engine = open_store(folder);
    std::promise<void> is_held;
    std::promise<void> released;
    engine->observe("z", [&](const sdk::CommitNotice&) {
        is_held.set_value();
        released.get_future().wait();
    });
    put(*engine, "a", "old");
    put(*engine, "b", "old");
    put(*engine, "c", "old");
    auto first = begin_unchecked(*engine);
    first->put("a", "1");
    first->remove("b");
    const auto next = dynamic_cast<sdk::UncheckedWrites&>(*first).begin_next();
    CHECK(entries(*next, {}) == "a=1 c=old ");
    // The engine commits nothing else while an observer is told of a commit.
    std::thread holder([&] { put(*engine, "z", "1"); });
    is_held.get_future().wait();
    std::promise<sdk::Result<void>> done;
    first->commit([&](sdk::Result<void> outcome) { done.set_value(std::move(outcome)); });
    CHECK(value_of(*next, "a") == "1");
    CHECK(value_of(*next, "b") == "-");
    next->put("b", "2");
    next->remove("c");
    CHECK(entries(*next, {}) == "a=1 b=2 ");
    released.set_value();
    holder.join();
    CHECK(done.get_future().get().has_value());
    dynamic_cast<sdk::UncheckedWrites&>(*next).leave_previous();
    first.reset();
    CHECK(entries(*next, {}) == "a=1 b=2 z=1 ");
    must_commit(*next);
    CHECK(entries(*engine, {}) == "a=1 b=2 z=1 ");
}

TEST_CASE("what only a checked commit can do fails without checks, and nothing is stored") {
    const TemporaryFolder folder;
    const auto engine = open_store(folder);
    put(*engine, "a", "1");
    const auto fails = [&](const std::function<void(sdk::Transaction&)>& work) {
        const auto transaction = begin_unchecked(*engine);
        transaction->put("b", "1");
        work(*transaction);
        const auto done = sdk::commit_and_wait(*transaction);
        return done.has_error() && done.error().kind == sdk::ErrorKind::internal &&
               done.error().code == "engine.unchecked_unfit";
    };
    CHECK(fails([](sdk::Transaction& transaction) { transaction.add("n", 1); }));
    CHECK(fails([](sdk::Transaction& transaction) { (void)transaction.add_within("n", 0, 5); }));
    CHECK(fails([](sdk::Transaction& transaction) { transaction.remove_range({"a", "b"}); }));
    CHECK(fails([](sdk::Transaction& transaction) {
        transaction.put_stamped(
            "n", {.key = std::string(8, '\0'), .value = "", .in_key = sdk::StampPlace{0}});
    }));
    CHECK(entries(*engine, {}) == "a=1 ");
}

}  // namespace stele::testing
