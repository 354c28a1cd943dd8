#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "kernel/storage/backends/leveldb/store_files.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::testing {

namespace {

namespace fs = std::filesystem;
using kernel::storage::check_store_files;
using kernel::storage::LevelDbOptions;
using kernel::storage::open_leveldb;

constexpr int kDamagedRows = 600;

const LevelDbOptions kSmallTables{.row_cache_bytes = 0,
                                  .write_buffer_bytes = 64 * 1024,
                                  .reserve_bytes = 0,
                                  .recovery_bytes = 0,
                                  .urgent_bytes = 0};

std::string row_key(int i) {
    return "row" + std::to_string(1000 + i);
}

std::string row_value(int i) {
    return std::string(500, static_cast<char>('a' + i % 26)) + std::to_string(i);
}

void fill_rows(sdk::Engine& engine, int first, int end) {
    for (int i = first; i < end; ++i)
        put(engine, row_key(i), row_value(i));
}

void flip(const fs::path& file, std::uint64_t offset, int change) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekg(static_cast<std::streamoff>(offset));
    const int byte = stream.get();
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put(static_cast<char>(byte ^ change));
}

/// Those that hold something of the store. The others are locks, what LevelDB tells of its work,
/// and room that is held back.
std::vector<fs::path> files_of_store(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name != "LOG" && name != "LOG.old" && name != "stele.reserve" && entry.file_size() > 0)
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<fs::path> tables_of(const fs::path& folder) {
    std::vector<fs::path> tables;
    for (const fs::path& file : files_of_store(folder))
        if (file.extension() == ".ldb") tables.push_back(file);
    return tables;
}

/// Rows that are there with another value than the one that was stored, or are not there although
/// nothing says that the store is damaged.
int wrong_rows(sdk::Engine& engine, int count) {
    int wrong = 0;
    const auto reader = engine.snapshot();
    for (int i = 0; i < count; ++i) {
        const auto value = reader->get(row_key(i));
        if (value ? *value != row_value(i) : value.error().code != "store.damaged") ++wrong;
    }
    int seen = 0;
    const auto cursor = reader->scan({"row", "rox"}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next(), ++seen)
        if (cursor->key() != row_key(seen) || cursor->value() != row_value(seen)) ++wrong;
    if (cursor->status() ? seen != count : cursor->status().error().code != "store.damaged")
        ++wrong;
    return wrong;
}

}  // namespace

TEST_CASE("every flipped byte of a store that was closed is found and none is served") {
    const TemporaryFolder folder;
    const fs::path store = folder.path() / "store";
    fill_rows(*open_leveldb(store, kSmallTables).value(), 0, kDamagedRows);
    // What the log holds becomes tables; the log gets new rows.
    fill_rows(*open_leveldb(store, kSmallTables).value(), kDamagedRows, kDamagedRows + 20);
    REQUIRE(check_store_files(store).empty());
    REQUIRE(tables_of(store).size() > 2);

    const std::vector<fs::path> files = files_of_store(store);
    std::mt19937 random(20);
    const int flips = repetitions(700);
    for (int i = 0; i < flips; ++i) {
        const fs::path& file = files[random() % files.size()];
        const std::uint64_t offset = random() % fs::file_size(file);
        const int change = static_cast<int>(1U << random() % 8);
        INFO(file << " at " << offset << " changed by " << change);
        flip(file, offset, change);
        const std::vector<std::string> found = check_store_files(store);
        REQUIRE(found.size() >= 1);
        CHECK(found.front().find(file.filename().string()) != std::string::npos);

        const fs::path copy = folder.path() / "copy";
        fs::copy(store, copy);
        if (auto engine = open_leveldb(copy, kSmallTables)) {
            CHECK(wrong_rows(**engine, kDamagedRows + 20) == 0);
        } else {
            CHECK(engine.error().code == "store.damaged");
        }
        fs::remove_all(copy);
        flip(file, offset, change);
    }
    CHECK(check_store_files(store).empty());
    CHECK(wrong_rows(*open_leveldb(store, kSmallTables).value(), kDamagedRows + 20) == 0);
}

TEST_CASE("damage of a store that is open is told with file and offset and steps over no row") {
    const TemporaryFolder folder;
    fill_rows(*open_leveldb(folder.path(), kSmallTables).value(), 0, kDamagedRows);
    const auto engine = open_leveldb(folder.path(), kSmallTables).value();
    CHECK(engine->status().has_value());
    const fs::path table = tables_of(folder.path()).front();
    // In the middle of its blocks.
    flip(table, fs::file_size(table) / 2, 1);

    const auto reader = engine->snapshot();
    const auto cursor = reader->scan({"row", "rox"}, sdk::ScanDirection::forward);
    int seen = 0;
    for (; cursor->is_valid(); cursor->next(), ++seen)
        REQUIRE(cursor->key() == row_key(seen));
    CHECK(seen < kDamagedRows);
    REQUIRE(cursor->status().has_error());
    CHECK(cursor->status().error().code == "store.damaged");
    CHECK(cursor->status().error().kind == sdk::ErrorKind::internal);

    const auto status = engine->status();
    REQUIRE(status.has_error());
    CHECK(status.error().code == "store.damaged");
    CHECK(status.error().message.find(table.filename().string() + " of the store at offset ") !=
          std::string::npos);
    int refused = 0;
    for (int i = 0; i < kDamagedRows; ++i) {
        const auto value = reader->get(row_key(i));
        if (value) {
            CHECK(*value == row_value(i));
        } else {
            CHECK(value.error().code == "store.damaged");
            ++refused;
        }
    }
    CHECK(refused > 0);
    CHECK(refused < 20);
}

TEST_CASE("a log that a crash cut off loses what was not acknowledged, and a damaged one is told") {
    const TemporaryFolder folder;
    const fs::path live = folder.path() / "live";
    const fs::path store = folder.path() / "store";
    const auto engine = open_leveldb(live, kSmallTables).value();
    fill_rows(*engine, 0, 50);
    fs::path log;
    for (const fs::path& file : files_of_store(live))
        if (file.extension() == ".log") log = file.filename();
    const std::uint64_t size = fs::file_size(live / log);
    const auto as_after_crash = [&](const std::function<void(const fs::path&)>& change) {
        fs::remove_all(store);
        fs::copy(live, store);
        change(store / log);
        return open_leveldb(store, kSmallTables);
    };

    SECTION("cut off in the last write") {
        const auto opened =
            as_after_crash([&](const auto& file) { fs::resize_file(file, size - 5); });
        REQUIRE(opened.has_value());
        CHECK(wrong_rows(**opened, 49) == 0);
        put(**opened, row_key(49), row_value(49));
        CHECK(wrong_rows(**opened, 50) == 0);
    }
    SECTION("the end was never written") {
        const auto opened = as_after_crash([&](const auto& file) {
            std::ofstream(file, std::ios::app | std::ios::binary) << std::string(9000, '\0');
        });
        REQUIRE(opened.has_value());
        CHECK(wrong_rows(**opened, 50) == 0);
    }
    SECTION("only the end of a long write is there") {
        const auto opened = as_after_crash([&](const auto& file) {
            std::ofstream(file, std::ios::app | std::ios::binary) << "half a write, without a head";
        });
        REQUIRE(opened.has_value());
        CHECK(wrong_rows(**opened, 50) == 0);
    }
    SECTION("a byte in the middle was changed") {
        for (const std::uint64_t offset :
             {std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{5}, std::uint64_t{6}, size / 2}) {
            INFO(offset);
            const auto opened = as_after_crash([&](const auto& file) { flip(file, offset, 4); });
            REQUIRE(opened.has_error());
            CHECK(opened.error().code == "store.damaged");
            CHECK(opened.error().message.find(log.string()) != std::string::npos);
            CHECK_FALSE(check_store_files(store).empty());
        }
    }
}

TEST_CASE("a store whose beginning is lost is not taken for an empty one") {
    const TemporaryFolder folder;
    fill_rows(*open_leveldb(folder.path(), kSmallTables).value(), 0, 10);
    fs::remove(folder.path() / "CURRENT");
    const auto opened = open_leveldb(folder.path(), kSmallTables);
    REQUIRE(opened.has_error());
    CHECK(opened.error().code == "store.damaged");
}

}  // namespace stele::testing
