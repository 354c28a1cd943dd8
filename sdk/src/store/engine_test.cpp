#include <stele/sdk/engine.hpp>

#include <limits>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "sdk/testing/memory_engine.hpp"

using stele::sdk::counter_bytes;
using stele::sdk::Engine;
using stele::sdk::ErrorKind;
using stele::sdk::make_error;
using stele::sdk::read_counter;
using stele::sdk::Result;
using stele::sdk::Transaction;
using stele::sdk::write_with_retry;
using stele::sdk::testing::MemoryEngine;

namespace {

Result<void> increment(Transaction& transaction) {
    const auto before = transaction.get("n");
    if (!before) return before.error();
    transaction.put("n", counter_bytes(read_counter(*before) + 1));
    return {};
}

std::int64_t number(Engine& engine) {
    return read_counter(engine.snapshot()->get("n").value());
}

}  // namespace

TEST_CASE("a counter's bytes give its number back") {
    const auto value = GENERATE(as<std::int64_t>{}, 0, 1, -1, 255, 256, -65536,
                                std::numeric_limits<std::int64_t>::max(),
                                std::numeric_limits<std::int64_t>::min());
    CHECK(counter_bytes(value).size() == 8);
    CHECK(read_counter(counter_bytes(value)) == value);
}

TEST_CASE("an absent counter is zero") {
    CHECK(read_counter(std::nullopt) == 0);
}

TEST_CASE("rivals that read and write the same key all succeed by trying again") {
    MemoryEngine engine;
    std::vector<std::thread> rivals;
    std::vector<Result<void>> results(4, Result<void>{});
    for (std::size_t i = 0; i < results.size(); ++i) {
        rivals.emplace_back([&, i] {
            for (int round = 0; round < 25 && results[i]; ++round) {
                results[i] = write_with_retry(engine, increment);
            }
        });
    }
    for (std::thread& rival : rivals)
        rival.join();
    for (const Result<void>& result : results)
        CHECK(result.has_value());
    CHECK(number(engine) == 100);
}

TEST_CASE("a write that always conflicts is given up as busy after the attempts") {
    MemoryEngine engine;
    int runs = 0;
    const auto result = write_with_retry(
        engine,
        [&](Transaction& transaction) {
            ++runs;
            const auto done = increment(transaction);
            CHECK(write_with_retry(engine, increment).has_value());
            return done;
        },
        3);
    REQUIRE(result.has_error());
    CHECK(result.error().kind == ErrorKind::unavailable);
    CHECK(result.error().code == "engine.busy");
    CHECK(runs == 3);
    CHECK(number(engine) == 3);
}

TEST_CASE("a failure of the work itself is not repeated, even one about a conflict of values") {
    MemoryEngine engine;
    int runs = 0;
    const auto result = write_with_retry(engine, [&](Transaction& transaction) -> Result<void> {
        ++runs;
        transaction.put("n", "lost");
        return make_error(ErrorKind::conflict, "document.value_taken", "taken");
    });
    REQUIRE(result.has_error());
    CHECK(result.error().code == "document.value_taken");
    CHECK(runs == 1);
    CHECK_FALSE(engine.snapshot()->get("n").value().has_value());
}

TEST_CASE("what the engine says about a failed commit comes through") {
    MemoryEngine engine;
    engine.refuse_commits(1, make_error(ErrorKind::storage_full, "engine.full", "full"));
    const auto result = write_with_retry(engine, increment);
    REQUIRE(result.has_error());
    CHECK(result.error().code == "engine.full");
}
