#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include <leveldb/db.h>
#include <leveldb/env.h>
#include <catch2/catch.hpp>

#include "kernel/storage/backends/leveldb/reopenable_database.hpp"
#include "kernel/storage/backends/leveldb/store_manifest.hpp"
#include "kernel/storage/backends/leveldb/table_merges.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::testing {

namespace {

using kernel::storage::next_merge;
using kernel::storage::read_manifest;
using kernel::storage::ReopenableDatabase;
using kernel::storage::StoreTables;
using kernel::storage::TableMerge;

/// Long enough for any machine; nothing is decided by it.
constexpr std::chrono::seconds kHang{20};

bool never(const TableMerge& /*merge*/) {
    return false;
}

bool wait_until(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + kHang;
    while (!is_so()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// What a test does to the files of a database.
struct Files {
    std::atomic<bool> must_hold_tables = false;
    std::atomic<bool> is_table_held = false;
    std::atomic<bool> do_logs_fail = false;
};

class Log final : public leveldb::WritableFile {
public:
    Log(leveldb::WritableFile* file, Files& files) : file_(file), files_(files) {}
    leveldb::Status Append(const leveldb::Slice& bytes) override { return file_->Append(bytes); }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override {
        return files_.do_logs_fail ? leveldb::Status::IOError("failed for a test") : file_->Sync();
    }

private:
    const std::unique_ptr<leveldb::WritableFile> file_;
    Files& files_;
};

class TestEnv final : public leveldb::EnvWrapper {
public:
    TestEnv(leveldb::Env& below, Files& files) : leveldb::EnvWrapper(&below), files_(files) {}

    leveldb::Status NewWritableFile(const std::string& name,
                                    leveldb::WritableFile** file) override {
        if (name.ends_with(".ldb") && files_.must_hold_tables) {
            files_.is_table_held = true;
            wait_until([this] { return !files_.must_hold_tables; });
        }
        const leveldb::Status opened = target()->NewWritableFile(name, file);
        if (opened.ok() && name.ends_with(".log")) *file = new Log(*file, files_);
        return opened;
    }

private:
    Files& files_;
};

/// With tables of which one lies above another.
class DatabaseToMerge {
public:
    DatabaseToMerge() {
        const auto open = [this](leveldb::Env& env,
                                 bool) -> sdk::Result<std::unique_ptr<leveldb::DB>> {
            env_ = std::make_unique<TestEnv>(env, files);
            leveldb::Options options;
            options.env = env_.get();
            options.create_if_missing = true;
            leveldb::DB* opened = nullptr;
            REQUIRE(leveldb::DB::Open(options, folder_.path().string(), &opened).ok());
            return std::unique_ptr<leveldb::DB>(opened);
        };
        database = ReopenableDatabase::open(folder_.path().string(), open).value();
        for (const char* value : {"old", "new"}) {
            for (const char* key : {"a", "m", "z"})
                REQUIRE(database->Put({}, key, value).ok());
            const leveldb::Slice beyond("~");
            database->CompactRange(&beyond, &beyond);
        }
    }

    /// While `merge` has LevelDB write a table, if it does, the log cannot be written.
    void fail_during(const std::function<void()>& merge) {
        files.must_hold_tables = true;
        auto merged = std::async(std::launch::async, merge);
        const auto is_back = [&] {
            return merged.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        };
        CHECK(wait_until([&] { return files.is_table_held || is_back(); }));
        files.do_logs_fail = true;
        leveldb::WriteOptions durable;
        durable.sync = true;
        CHECK_FALSE(database->Put(durable, "failed", "1").ok());
        // It may come back before the tables are merged, as LevelDB knows of the failure.
        if (!is_merge_waited_for) CHECK(wait_until(is_back));
        files.must_hold_tables = false;
        CHECK(wait_until(is_back));
        CHECK(wait_until([this] { return !database->is_merging(); }));
        std::string value;
        CHECK(database->Get({}, "m", &value).ok());
        CHECK(value == "new");
    }
    kernel::storage::StoreTables tables() const { return read_manifest(folder_.path())->tables; }

private:
    TemporaryFolder folder_;
    std::unique_ptr<TestEnv> env_;

public:
    Files files;
    bool is_merge_waited_for = false;
    std::unique_ptr<ReopenableDatabase> database;
};

StoreTables two_levels() {
    return {{4, {.level = 2, .size = 100, .first = "a", .last = "f"}},
            {5, {.level = 2, .size = 100, .first = "g", .last = "p"}},
            {6, {.level = 1, .size = 10, .first = "e", .last = "h"}},
            {7, {.level = 1, .size = 10, .first = "x", .last = "z"}}};
}

}  // namespace

TEST_CASE("a write that fails while LevelDB is asked to merge a range does not end the process") {
    DatabaseToMerge opened;
    opened.fail_during([&] { opened.database->CompactRange(nullptr, nullptr); });
}

TEST_CASE("a write that fails while a table is merged does not end the process") {
    DatabaseToMerge opened;
    const auto merge = next_merge(opened.tables(), {"a", "z"}, never);
    REQUIRE(merge);
    opened.is_merge_waited_for = true;
    opened.fail_during(
        [&] { kernel::storage::provoke_merge(*opened.database, *merge, [] { return false; }); });
    CHECK(opened.files.is_table_held);
}

TEST_CASE("a table above another one is merged when LevelDB looks into it in vain") {
    DatabaseToMerge opened;
    REQUIRE(opened.tables().size() == 2);
    const auto merge = next_merge(opened.tables(), {"b", "c"}, never);
    REQUIRE(merge);
    kernel::storage::provoke_merge(*opened.database, *merge, [] { return false; });
    CHECK(opened.tables().size() == 1);
    CHECK_FALSE(next_merge(opened.tables(), {"a", "z"}, never));
}

TEST_CASE("the next table to merge lies above another one that holds something of the range") {
    CHECK_FALSE(next_merge(two_levels(), {"a", "d"}, never));
    CHECK_FALSE(next_merge(two_levels(), {"q", "z"}, never));
    const auto merge = next_merge(two_levels(), {"g", "q"}, never);
    REQUIRE(merge);
    CHECK(merge->table == 6);
    CHECK(merge->level == 1);
    CHECK(merge->size == 10);
    CHECK(merge->bytes == 210);
    REQUIRE_FALSE(merge->absent.empty());
    CHECK(merge->absent.front() == std::string("g\0", 2));
    CHECK_FALSE(
        next_merge(two_levels(), {"g", "q"}, [](const auto& one) { return one.table == 6; }));
}

TEST_CASE("of fresh tables the newest is the next to merge, with all that it overlaps") {
    StoreTables tables = two_levels();
    tables[8] = {.level = 0, .size = 1, .first = "m", .last = "y"};
    tables[9] = {.level = 0, .size = 1, .first = "o", .last = "q"};
    tables[10] = {.level = 0, .size = 1, .first = "r", .last = "s"};
    const auto merge = next_merge(tables, {"o", "s"}, never);
    REQUIRE(merge);
    CHECK(merge->table == 10);
    CHECK(merge->bytes == 13);
}

}  // namespace stele::testing
