#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include <leveldb/env.h>
#include <catch2/catch.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"
#include "tests/storage/small_disk.hpp"

namespace stele::testing {

namespace {

using kernel::storage::LevelDbOptions;
using kernel::storage::open_leveldb;

/// Files of this process end at `bytes` while the object lives.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        former_handler_ = ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit limited{bytes, former_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limited);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &former_);
        ::signal(SIGXFSZ, former_handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit former_{};
    sighandler_t former_handler_;
};

constexpr std::size_t kValueSize = 20'000;
constexpr int kMoreThanFit = 4000;

std::string key_of(int i) {
    return "key" + std::to_string(i);
}

sdk::Result<void> write(sdk::Engine& engine, int i) {
    const auto transaction = engine.begin();
    transaction->put(key_of(i), std::string(kValueSize, static_cast<char>('a' + i % 26)));
    transaction->add("count", 1);
    return sdk::commit_and_wait(*transaction);
}

/// Writes until the first failure; answers how many commits succeeded, and the failure.
std::pair<int, sdk::Error> fill(sdk::Engine& engine) {
    for (int i = 0; i < kMoreThanFit; ++i)
        if (const auto written = write(engine, i); !written) return {i, written.error()};
    FAIL("the disk never got full");
    return {};
}

void check_has_exactly(sdk::Engine& engine, int count) {
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        if (value_of(engine, key_of(i)) != std::string(kValueSize, static_cast<char>('a' + i % 26)))
            ++wrong;
    }
    CHECK(wrong == 0);
}

/// Holds LevelDB's thread, the one of all databases of this process, while the object lives.
class StoppedMerges {
public:
    StoppedMerges() {
        leveldb::Env::Default()->Schedule(
            [](void* held) { static_cast<StoppedMerges*>(held)->hold(); }, this);
        held_.get_future().wait();
    }
    ~StoppedMerges() {
        released_.set_value();
        gone_.get_future().wait();
    }
    StoppedMerges(const StoppedMerges&) = delete;
    StoppedMerges& operator=(const StoppedMerges&) = delete;

private:
    void hold() {
        held_.set_value();
        released_.get_future().wait();
        gone_.set_value();
    }

    std::promise<void> held_;
    std::promise<void> released_;
    std::promise<void> gone_;
};

/// Takes the rest of a disk.
void fill_up(const std::filesystem::path& filler) {
    std::ofstream stream(filler);
    const std::string block(4096, 'x');
    while (stream.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
}

/// Of this process, inside the folder.
int removed_files_held(const std::filesystem::path& folder) {
    int held = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code closed;
        const std::string name = std::filesystem::read_symlink(entry, closed).string();
        if (name.starts_with(folder.string()) && name.ends_with(" (deleted)")) ++held;
    }
    return held;
}

/// A compaction on its way may hold the room that a write needs for a moment.
bool write_in_the_end(sdk::Engine& engine, const std::function<void(sdk::Transaction&)>& change) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
        const auto transaction = engine.begin();
        change(*transaction);
        const auto written = sdk::commit_and_wait(*transaction);
        if (written) return true;
        if (written.error().code != "engine.disk_full") {
            UNSCOPED_INFO(written.error().code << ": " << written.error().detail);
            return false;
        }
        std::this_thread::yield();
    }
    return false;
}

/// Until the store was opened anew.
bool written_in_the_end(sdk::Engine& engine, int i) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
        if (write(engine, i)) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
}

}  // namespace

TEST_CASE("a full disk refuses writes, keeps what is there, and takes removals") {
    const SmallDisk disk;
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    int stored = 0;
    {
        const auto engine = open_leveldb(disk.path() / "data").value();
        const auto [count, failure] = fill(*engine);
        stored = count;
        CHECK(stored > 100);
        CHECK(failure.kind == sdk::ErrorKind::storage_full);
        CHECK(failure.code == "engine.disk_full");
        // Before many reads, because these make LevelDB compact, which takes from the reserve.
        CHECK(write_in_the_end(*engine, [](auto& transaction) { transaction.remove("key"); }));
        CHECK(value_of(*engine, key_of(stored)) == "-");
        CHECK(counter_of(*engine, "count") == stored);
        check_has_exactly(*engine, stored);
    }
    const auto engine = open_leveldb(disk.path() / "data").value();
    check_has_exactly(*engine, stored);
    CHECK(counter_of(*engine, "count") == stored);
}

TEST_CASE("a store opens on a disk that others filled to its last byte") {
    const SmallDisk disk;
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    // As much as the log holds before LevelDB makes a table of it.
    constexpr int kStored = 150;
    {
        const auto engine = open_leveldb(disk.path() / "data").value();
        for (int i = 0; i < kStored; ++i)
            REQUIRE(write(*engine, i));
    }
    fill_up(disk.path() / "filler");
    const auto engine = open_leveldb(disk.path() / "data").value();
    check_has_exactly(*engine, kStored);
    CHECK(write(*engine, kStored).error().code == "engine.disk_full");
}

TEST_CASE("removals and urgent commits go on when others have taken the rest of the disk") {
    const SmallDisk disk;
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    const LevelDbOptions options{.write_buffer_bytes = 2 * 1024 * 1024,
                                 .reserve_bytes = 8 * 1024 * 1024,
                                 .recovery_bytes = 6 * 1024 * 1024,
                                 .urgent_bytes = 4 * 1024 * 1024};
    const auto engine = open_leveldb(disk.path() / "data", options).value();
    const auto held = disk.path() / "data" / "stele.reserve";
    CHECK(std::filesystem::file_size(held) == 10 * 1024 * 1024);
    for (int i = 0; i < 100; ++i)
        REQUIRE(write(*engine, i));
    const auto filler = disk.path() / "filler";
    fill_up(filler);
    CHECK(write(*engine, 100).error().code == "engine.disk_full");
    CHECK(std::filesystem::file_size(held) == 10 * 1024 * 1024);
    // A thirty-second of what is held back is the most that one commit may store from it.
    const auto large = engine->begin();
    large->put("removed", std::string(128 * 1024, 'r'));
    large->set_urgent();
    CHECK(sdk::commit_and_wait(*large).error().code == "engine.disk_full");
    CHECK(std::filesystem::file_size(held) == 10 * 1024 * 1024);

    const auto login = engine->begin();
    login->put("session", std::string(kValueSize, 's'));
    login->set_urgent();
    CHECK(sdk::commit_and_wait(*login).has_value());
    CHECK(value_of(*engine, "session").size() == kValueSize);
    CHECK(write_in_the_end(*engine, [](auto& transaction) { transaction.remove(key_of(0)); }));
    CHECK(value_of(*engine, key_of(0)) == "-");
    CHECK(std::filesystem::file_size(held) == 6 * 1024 * 1024);
    CHECK(write(*engine, 100).error().code == "engine.disk_full");
    const auto larger = engine->begin();
    larger->put("removed", std::string(128 * 1024, 'r'));
    larger->set_urgent();
    CHECK(sdk::commit_and_wait(*larger).error().code == "engine.disk_full");

    std::filesystem::remove(filler);
    CHECK(write(*engine, 100).has_value());
    CHECK(write(*engine, 101).has_value());
    CHECK(std::filesystem::file_size(held) == 10 * 1024 * 1024);
}

TEST_CASE("removals wait for a merge that holds the room of the disk") {
    const SmallDisk disk;
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    const LevelDbOptions options{.write_buffer_bytes = 1024 * 1024,
                                 .reserve_bytes = 8 * 1024 * 1024,
                                 .recovery_bytes = 0,
                                 .urgent_bytes = 0};
    const auto engine = open_leveldb(disk.path() / "data", options).value();
    const auto filler = disk.path() / "filler";
    sdk::Result<void> removed;
    {
        const StoppedMerges stopped;
        // More than a buffer, and less than two.
        for (int i = 0; i < 80; ++i)
            REQUIRE(write(*engine, i));
        fill_up(filler);
        std::thread remover([&] {
            const auto transaction = engine->begin();
            transaction->remove(key_of(0));
            removed = sdk::commit_and_wait(*transaction);
        });
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!engine->room_keeper()->is_room_wanted() &&
               std::chrono::steady_clock::now() < deadline) {
            std::this_thread::yield();
        }
        // As a merge does in the end.
        std::filesystem::remove(filler);
        remover.join();
    }
    CHECK(removed.has_value());
    CHECK(value_of(*engine, key_of(0)) == "-");
}

TEST_CASE("something is held back for the next opening however little room there is") {
    const SmallDisk disk;
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    constexpr std::uint64_t kBuffer = 16 * 1024 * 1024;
    const LevelDbOptions options{.write_buffer_bytes = kBuffer,
                                 .reserve_bytes = 1024 * 1024,
                                 .recovery_bytes = 3 * kBuffer,
                                 .urgent_bytes = 2 * kBuffer};
    const auto engine = open_leveldb(disk.path() / "data", options).value();
    // Buffers of an eighth of the room, five of which are held.
    const auto held = std::filesystem::file_size(disk.path() / "data" / "stele.reserve");
    CHECK(held > 25 * 1024 * 1024);
    CHECK(held < 35 * 1024 * 1024);
}

TEST_CASE("what was removed is given back to the disk when asked for") {
    const TemporaryFolder folder;
    const LevelDbOptions options{
        .write_buffer_bytes = 256 * 1024, .recovery_bytes = 0, .urgent_bytes = 0};
    const auto engine = open_leveldb(folder.path(), options).value();
    constexpr int kMany = 1000;
    for (int i = 0; i < kMany; ++i)
        REQUIRE(write(*engine, i));
    const auto size = [&] {
        std::uintmax_t bytes = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
            // LevelDB removes tables that it has merged at any moment.
            std::error_code gone;
            const auto length = entry.file_size(gone);
            if (entry.path().extension() == ".ldb" && !gone) bytes += length;
        }
        return bytes;
    };
    const std::uintmax_t full = size();
    CHECK(full > kMany * kValueSize / 2);
    const auto transaction = engine->begin();
    transaction->remove_range({"key", "kez"});
    must_commit(*transaction);
    auto* const keeper = engine->room_keeper();
    REQUIRE(keeper != nullptr);
    keeper->give_back_room([] { return false; });
    CHECK(size() < full / 10);
    CHECK(counter_of(*engine, "count") == kMany);
}

TEST_CASE("removals take no room while somebody reads what they remove, and give it back then") {
    const SmallDisk disk("96m");
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    constexpr std::uint64_t kMiB = 1024 * 1024;
    const LevelDbOptions options{.write_buffer_bytes = kMiB,
                                 .reserve_bytes = 16 * kMiB,
                                 .recovery_bytes = 3 * kMiB,
                                 .urgent_bytes = 2 * kMiB};
    const auto engine = open_leveldb(disk.path() / "data", options).value();
    auto* const keeper = engine->room_keeper();
    const auto give_back = [&] { keeper->give_back_room([] { return false; }); };
    const auto available = [&] {
        std::uint64_t bytes = 0;
        REQUIRE(kernel::file::available_bytes(disk.path(), bytes));
        return bytes;
    };
    const int stored = fill(*engine).first;
    auto reader = engine->snapshot();
    // Overwritten, so that there is something to merge before anything is removed.
    CHECK(write_in_the_end(*engine, [](auto& transaction) { transaction.remove(key_of(0)); }));
    give_back();
    const std::uint64_t before = available();
    std::uint64_t least = before;
    int refused = 0;
    for (int i = 1; i < stored; ++i) {
        const auto transaction = engine->begin();
        transaction->remove(key_of(i));
        if (!sdk::commit_and_wait(*transaction)) ++refused;
        if (i % 100 != 0) continue;
        give_back();
        least = std::min(least, available());
    }
    CHECK(refused == 0);
    CHECK(least + 6 * kMiB > before);
    CHECK(value_of(*reader, key_of(1)) == std::string(kValueSize, 'b'));
    reader.reset();
    give_back();
    CHECK(available() > 70 * kMiB);
}

TEST_CASE(
    "a disk that gets full below LevelDB loses nothing, and is written again when it has room") {
    const SmallDisk disk;
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    const auto ballast = disk.path() / "ballast";
    std::ofstream(ballast) << std::string(30'000'000, 'x');
    int stored = 0;
    {
        const LevelDbOptions unguarded{.reserve_bytes = 0, .recovery_bytes = 0, .urgent_bytes = 0};
        const auto engine = open_leveldb(disk.path() / "data", unguarded).value();
        const auto [count, failure] = fill(*engine);
        stored = count;
        CHECK(failure.kind == sdk::ErrorKind::storage_full);
        std::filesystem::remove(ballast);
        // There is room again, but the log may end with half a record.
        CHECK(write_in_the_end(*engine, [](auto& transaction) { transaction.put("room", "1"); }));
        CHECK(engine->status().has_value());
        check_has_exactly(*engine, stored);
        CHECK(value_of(*engine, key_of(stored)) == "-");
    }
    const LevelDbOptions guarded{
        .reserve_bytes = 4'000'000, .recovery_bytes = 0, .urgent_bytes = 0};
    const auto engine = open_leveldb(disk.path() / "data", guarded).value();
    check_has_exactly(*engine, stored);
    CHECK(value_of(*engine, "room") == "1");
    CHECK(write_in_the_end(*engine, [](auto& transaction) { transaction.put("after", "1"); }));
}

TEST_CASE("after a write that failed half-way the store is opened anew, and nothing is lost") {
    const TemporaryFolder folder;
    int stored = 0;
    {
        const auto engine = open_leveldb(folder.path(), {.write_buffer_bytes = 256 * 1024}).value();
        int lost_track = 0;
        engine->observe("", [&](const sdk::CommitNotice& notice) {
            lost_track += notice.is_everything && notice.keys.empty();
        });
        CHECK(engine->status().has_value());
        std::unique_ptr<sdk::Reader> before;
        std::unique_ptr<sdk::Transaction> begun;
        {
            // Less than the log of writes or a table comes to.
            const FileSizeLimit limit(100'000);
            const auto [count, failure] = fill(*engine);
            stored = count;
            CHECK(failure.code == "engine.write_failed");
            REQUIRE(engine->status().has_error());
            CHECK(engine->status().error().code == "engine.write_failed");
            check_has_exactly(*engine, stored);
            CHECK(value_of(*engine, key_of(stored)) == "-");
            before = engine->snapshot();
            begun = engine->begin();
            CHECK(value_of(*begun, "absent") == "-");
            begun->put("begun", "1");
        }
        REQUIRE(written_in_the_end(*engine, stored));
        CHECK(engine->status().has_value());
        CHECK(lost_track == 1);
        // Many tables are merged, and those of before stay for who reads them.
        for (int i = stored + 1; i < stored + 200; ++i)
            REQUIRE(write(*engine, i));
        check_has_exactly(*engine, stored + 200);
        CHECK(counter_of(*engine, "count") == stored + 200);
        CHECK(value_of(*before, key_of(0)) == std::string(kValueSize, 'a'));
        CHECK(value_of(*before, key_of(stored)) == "-");
        // What it read may have changed with the write that failed.
        CHECK(sdk::commit_and_wait(*begun).error().code == "engine.conflict");
        before.reset();
        begun.reset();
        CHECK(write_in_the_end(*engine, [](auto& transaction) { transaction.put("next", "1"); }));
        CHECK(removed_files_held(folder.path()) == 0);
    }
    const auto engine = open_leveldb(folder.path()).value();
    check_has_exactly(*engine, stored + 200);
    CHECK(counter_of(*engine, "count") == stored + 200);
}

TEST_CASE("commits go on while a database of before waits for a merge to be closed") {
    const TemporaryFolder folder;
    const auto engine = open_leveldb(folder.path(), {.write_buffer_bytes = 256 * 1024}).value();
    std::future<bool> committed;
    {
        const StoppedMerges stopped;
        // More than a buffer, which waits to become a table then, and less than two.
        for (int i = 0; i < 15; ++i)
            REQUIRE(write(*engine, i));
        {
            const FileSizeLimit limit(100'000);
            REQUIRE(fill(*engine).second.code == "engine.write_failed");
        }
        // Nobody reads the database of before when the first of these has succeeded.
        committed = std::async(std::launch::async, [&] {
            return written_in_the_end(*engine, 0) && write(*engine, 1).has_value() &&
                   write(*engine, 2).has_value();
        });
        CHECK(committed.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
    }
    CHECK(committed.get());
}

}  // namespace stele::testing
