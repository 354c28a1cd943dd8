#include <atomic>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "tests/storage/engine_access.hpp"
#include "tests/storage/small_disk.hpp"

namespace stele::testing {

namespace {

using kernel::storage::LevelDbOptions;
using sdk::RoomKeeper;

constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::size_t kRowSize = 4'000;
/// What a removal leaves in its place: much, so that all of them together fill the reserve twice
/// unless the room of the rows is won meanwhile.
constexpr std::size_t kNoteSize = 3'000;

/// Spread over all keys, so that every table overlaps every other.
std::string row_key(unsigned i) {
    return "row" + std::to_string(i * 2'654'435'761U);
}

/// Gives room back all the time, as the server does on a full disk.
class Keeping {
public:
    explicit Keeping(sdk::Engine& engine)
        : keeper_(*engine.room_keeper()), thread_([this] { run(); }) {}
    ~Keeping() {
        is_done_ = true;
        thread_.join();
    }
    Keeping(const Keeping&) = delete;
    Keeping& operator=(const Keeping&) = delete;

private:
    void run() {
        while (!is_done_) {
            keeper_.give_back_room([this] { return is_done_.load(); });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }

    RoomKeeper& keeper_;
    std::atomic<bool> is_done_ = false;
    std::thread thread_;
};

unsigned fill_with_rows(sdk::Engine& engine) {
    for (unsigned stored = 0;; ++stored) {
        const auto transaction = engine.begin();
        transaction->put(row_key(stored), std::string(kRowSize, 'x'));
        const auto written = sdk::commit_and_wait(*transaction);
        if (written) continue;
        REQUIRE(written.error().code == "engine.disk_full");
        return stored;
    }
}

}  // namespace

TEST_CASE("removals on a full disk wait for the room that they make, and none is refused") {
    const SmallDisk disk("192m");
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    const LevelDbOptions options{.write_buffer_bytes = kMiB,
                                 .reserve_bytes = 48 * kMiB,
                                 .recovery_bytes = 3 * kMiB,
                                 .urgent_bytes = 2 * kMiB,
                                 .is_durable = false};
    const auto engine = kernel::storage::open_leveldb(disk.path() / "data", options).value();
    const unsigned stored = fill_with_rows(*engine);
    REQUIRE(stored * kNoteSize > 60 * kMiB);
    unsigned refused = 0;
    {
        const Keeping keeping(*engine);
        for (unsigned i = 0; i < stored; ++i) {
            const auto transaction = engine->begin();
            transaction->remove(row_key(i));
            transaction->put("note" + std::to_string(i), std::string(kNoteSize, 'n'));
            transaction->set_urgent();
            if (!sdk::commit_and_wait(*transaction)) ++refused;
        }
    }
    CHECK(refused == 0);
    CHECK(value_of(*engine, row_key(0)) == "-");
    CHECK(value_of(*engine, "note0").size() == kNoteSize);
    CHECK(value_of(*engine, row_key(stored - 1)) == "-");
}

}  // namespace stele::testing
