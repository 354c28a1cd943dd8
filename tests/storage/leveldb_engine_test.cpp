#include <fstream>
#include <random>

#include <catch2/catch.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"

namespace stele::testing {

namespace {

using kernel::storage::LevelDbOptions;
using kernel::storage::open_leveldb;

std::unique_ptr<sdk::Engine> open_engine(const TemporaryFolder& folder,
                                         const LevelDbOptions& options = {}) {
    auto engine = open_leveldb(folder.path(), options);
    if (!engine) FAIL(engine.error().message);
    return *std::move(engine);
}

}  // namespace

TEST_CASE("a long walk shows one state to its end, whatever is written meanwhile") {
    const TemporaryFolder folder;
    const auto engine = open_engine(folder, {.write_buffer_bytes = 64 * 1024, .is_durable = false});
    constexpr std::size_t kEntries = 10'000;
    const auto key_of = [](std::size_t i) { return std::to_string(100'000 + i); };
    const auto write = [&](std::size_t first, const std::string& value) {
        const auto transaction = engine->begin();
        for (std::size_t i = first; i < first + 1000; ++i) {
            if (value.empty() && i % 2 == 0)
                transaction->remove(key_of(i));
            else
                transaction->put(key_of(i), value);
        }
        REQUIRE(commits(*transaction));
    };
    for (std::size_t i = 0; i < kEntries; i += 1000)
        write(i, "former");
    const auto direction = GENERATE(sdk::ScanDirection::forward, sdk::ScanDirection::backward);
    const bool is_forward = direction == sdk::ScanDirection::forward;
    const auto reader = engine->snapshot();
    const auto cursor = reader->scan({key_of(0), {}}, direction);
    for (std::size_t i = 0; i < kEntries; ++i) {
        INFO(i);
        if (i % 1000 == 0)
            write(is_forward ? i : kEntries - i - 1000, i % 2000 == 0 ? "" : "later");
        REQUIRE(cursor->is_valid());
        REQUIRE(cursor->key() == key_of(is_forward ? i : kEntries - 1 - i));
        REQUIRE(cursor->value() == "former");
        cursor->next();
    }
    CHECK_FALSE(cursor->is_valid());
    CHECK(cursor->status().has_value());
}

TEST_CASE("a folder that is in use is not opened a second time") {
    const TemporaryFolder folder;
    auto first = open_engine(folder);
    const auto second = open_leveldb(folder.path());
    REQUIRE(second.has_error());
    CHECK(second.error().kind == sdk::ErrorKind::unavailable);
    CHECK(second.error().code == "engine.in_use");
    CHECK(second.error().message.find(folder.path().string()) != std::string::npos);
    put(*first, "a", "1");
    first.reset();
    CHECK(value_of(*open_engine(folder), "a") == "1");
}

TEST_CASE("a folder is made with those above it") {
    const TemporaryFolder folder;
    const auto engine = open_leveldb(folder.path() / "deep" / "data");
    REQUIRE(engine.has_value());
    CHECK(std::filesystem::is_directory(folder.path() / "deep" / "data"));
}

TEST_CASE("a folder that cannot be made is told with the reason") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "file") << "no folder";
    const auto engine = open_leveldb(folder.path() / "file" / "data");
    REQUIRE(engine.has_error());
    CHECK(engine.error().code == "engine.open_failed");
    CHECK(engine.error().message.find("Not a directory") != std::string::npos);
}

TEST_CASE("a damaged store is not opened") {
    const TemporaryFolder folder;
    put(*open_engine(folder), "a", "1");
    std::ofstream(folder.path() / "CURRENT", std::ios::trunc) << "nonsense";
    const auto engine = open_leveldb(folder.path());
    REQUIRE(engine.has_error());
    CHECK(engine.error().kind == sdk::ErrorKind::internal);
    CHECK(engine.error().code == "store.damaged");
}

TEST_CASE("additions and other writes of a counter take effect in the order of their commits") {
    const TemporaryFolder folder;
    const auto engine = open_engine(folder);
    put(*engine, "n", sdk::counter_bytes(1000));
    std::int64_t expected = 1000;
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        std::vector<std::unique_ptr<sdk::Transaction>> transactions;
        for (int i = 0; i < 20; ++i) {
            transactions.push_back(engine->begin());
            sdk::Transaction& transaction = *transactions.back();
            const std::int64_t number = static_cast<std::int64_t>(random() % 100) - 50;
            switch (random() % 8) {
                case 0:
                    transaction.put("n", sdk::counter_bytes(number));
                    expected = number;
                    break;
                case 1:
                    transaction.remove("n");
                    expected = 0;
                    break;
                case 2:
                    transaction.remove_range({"m", "o"});
                    expected = 0;
                    break;
                case 3:
                    transaction.put("n", "no counter");
                    expected = 0;
                    break;
                default:
                    transaction.add("n", number);
                    expected += number;
            }
        }
        REQUIRE(commit_all(transactions) == 20);
        REQUIRE(counter_of(*engine, "n") == expected);
    }
}

TEST_CASE("waiting commits are finished before the engine ends") {
    const TemporaryFolder folder;
    int finished = 0;
    std::vector<std::unique_ptr<sdk::Transaction>> transactions;
    auto engine = open_engine(folder);
    for (int i = 0; i < 20; ++i) {
        transactions.push_back(engine->begin());
        transactions.back()->put("key" + std::to_string(i), "value");
        transactions.back()->commit([&finished](sdk::Result<void> done) {
            if (done) ++finished;
        });
    }
    engine.reset();
    CHECK(finished == 20);
}

TEST_CASE("a cursor of a transaction shows what was written ahead of it") {
    const TemporaryFolder folder;
    const auto engine = open_engine(folder);
    for (const char* key : {"a", "b", "c", "d", "e"})
        put(*engine, key, "1");
    const auto transaction = engine->begin();
    std::string seen;
    const auto cursor = transaction->scan({}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        seen.append(cursor->key());
        const std::string key(cursor->key());
        if (key == "b") transaction->remove("c");
        if (key == "d") transaction->put("dd", "new");
    }
    CHECK(seen == "abddde");
}

TEST_CASE("a transaction older than the history conflicts when it has read") {
    const TemporaryFolder folder;
    constexpr std::size_t kFewBytes = 1024 * 1024;
    const auto engine = open_engine(folder, {.history_bytes = kFewBytes, .is_durable = false});
    const auto reader = engine->begin();
    CHECK(value_of(*reader, "a") == "-");
    reader->put("a", "1");
    const auto blind = engine->begin();
    blind->put("b", "1");
    constexpr std::size_t kKeySize = kFewBytes / 64;
    for (std::size_t i = 0; i < kFewBytes / kKeySize + 2; ++i)
        put(*engine, std::string(kKeySize, 'x'), "");
    CHECK_FALSE(commits(*reader));
    CHECK(commits(*blind));
}

TEST_CASE("the reserve of the disk is kept, but removals may take half of it") {
    const TemporaryFolder folder;
    std::uint64_t available = 0;
    REQUIRE(kernel::file::available_bytes(folder.path(), available));
    put(*open_engine(folder), "a", "1");
    {
        const auto engine = open_engine(folder, {.reserve_bytes = available / 2 * 3});
        const auto transaction = engine->begin();
        transaction->put("b", "1");
        const auto refused = sdk::commit_and_wait(*transaction);
        REQUIRE(refused.has_error());
        CHECK(refused.error().kind == sdk::ErrorKind::storage_full);
        CHECK(refused.error().code == "engine.disk_full");
        CHECK(entries(*engine, {}) == "a=1 ");
        remove(*engine, "a");
        CHECK(entries(*engine, {}).empty());
    }
    const auto engine = open_engine(folder, {.reserve_bytes = available * 3, .urgent_bytes = 0});
    const auto transaction = engine->begin();
    transaction->remove("a");
    CHECK(sdk::commit_and_wait(*transaction).has_error());
}

TEST_CASE("the size of a range grows with what is in it") {
    const TemporaryFolder folder;
    const auto engine = open_engine(folder, {.write_buffer_bytes = 64 * 1024, .is_durable = false});
    for (int i = 0; i < 100; ++i)
        put(*engine, "a" + std::to_string(i), std::string(10'000, 'x'));
    CHECK(engine->approximate_size({"a", ""}) > 500'000);
    CHECK(engine->approximate_size({"b", ""}) < 100'000);
}

}  // namespace stele::testing
