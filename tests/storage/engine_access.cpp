#include "tests/storage/engine_access.hpp"

#include <atomic>
#include <latch>

#include <catch2/catch.hpp>

namespace stele::testing {

std::string entries(const sdk::Reader& reader, const sdk::KeyRange& range,
                    sdk::ScanDirection direction) {
    std::string found;
    const auto cursor = reader.scan(range, direction);
    for (; cursor->is_valid(); cursor->next())
        found.append(cursor->key()).append("=").append(cursor->value()).append(" ");
    REQUIRE(cursor->status().has_value());
    return found;
}

std::string entries(sdk::Engine& engine, const sdk::KeyRange& range) {
    return entries(*engine.snapshot(), range);
}

std::string value_of(const sdk::Reader& reader, std::string_view key) {
    const auto value = reader.get(key);
    REQUIRE(value.has_value());
    return value->value_or("-");
}

std::string value_of(sdk::Engine& engine, std::string_view key) {
    return value_of(*engine.snapshot(), key);
}

std::int64_t counter_of(sdk::Engine& engine, std::string_view key) {
    const auto value = engine.snapshot()->get(key);
    REQUIRE(value.has_value());
    return sdk::read_counter(*value);
}

void put(sdk::Engine& engine, std::string_view key, std::string_view value) {
    const auto transaction = engine.begin();
    transaction->put(key, value);
    must_commit(*transaction);
}

void remove(sdk::Engine& engine, std::string_view key) {
    const auto transaction = engine.begin();
    transaction->remove(key);
    must_commit(*transaction);
}

void must_commit(sdk::Transaction& transaction) {
    const auto result = sdk::commit_and_wait(transaction);
    if (!result) FAIL(result.error().code << ": " << result.error().detail);
}

bool commits(sdk::Transaction& transaction) {
    const auto result = sdk::commit_and_wait(transaction);
    if (result) return true;
    REQUIRE(result.error().code == "engine.conflict");
    REQUIRE(result.error().kind == sdk::ErrorKind::conflict);
    return false;
}

int commit_all(const std::vector<std::unique_ptr<sdk::Transaction>>& transactions) {
    std::atomic<int> successes = 0;
    std::latch finished(static_cast<std::ptrdiff_t>(transactions.size()));
    for (const auto& transaction : transactions) {
        transaction->commit([&](sdk::Result<void> done) {
            if (done) ++successes;
            finished.count_down();
        });
    }
    finished.wait();
    return successes;
}

}  // namespace stele::testing
