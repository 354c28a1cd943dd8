// What the power leaves: a process that is killed shows nothing of it, because what it wrote is
// still with the operating system.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include <catch2/catch.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "kernel/storage/blob/blob_directory.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/engine_access.hpp"
#include "tests/storage/power_loss.hpp"

namespace stele::testing {

namespace {

using kernel::storage::check_leveldb;
using kernel::storage::LevelDbOptions;
using kernel::storage::open_blob_directory;
using kernel::storage::open_leveldb;

/// Small, so that logs are switched and tables are merged while the power may fail.
constexpr std::size_t kBuffer = 64 * 1024;

std::string powered_key(int number) {
    return "key/" + std::to_string(number);
}

std::string powered_value(int number) {
    return std::string(static_cast<std::size_t>(100 + number * 37 % 3000),
                       static_cast<char>('a' + number % 26));
}

void commit_powered(sdk::Engine& engine, int number) {
    const auto transaction = engine.begin();
    transaction->put(powered_key(number), powered_value(number));
    transaction->add("count", 1);
    must_commit(*transaction);
}

/// How many of the first `count` commits are not in a store, or not as they were.
int missing_of(sdk::Engine& engine, int count) {
    int missing = 0;
    for (int i = 0; i < count; ++i) {
        if (value_of(engine, powered_key(i)) != powered_value(i)) ++missing;
    }
    return missing;
}

}  // namespace

TEST_CASE("what was acknowledged is there after the power failed") {
    const TemporaryFolder folder;
    const TemporaryFolder other;
    const auto engine = open_leveldb(folder.path() / "store", {.write_buffer_bytes = kBuffer});
    REQUIRE(engine.has_value());
    int committed = 0;
    // One commit, a few in one log, and as many as fill several buffers.
    for (const int next : {1, 2, 10, 60, 150, 151, 250}) {
        for (; committed < next; ++committed)
            commit_powered(**engine, committed);
        INFO("after " << committed << " commits");
        copy_after_power_loss(folder.path() / "store", other.path() / "store");
        const auto found = open_leveldb(other.path() / "store");
        if (!found) FAIL(found.error().message);
        CHECK(missing_of(**found, committed) == 0);
        CHECK(counter_of(**found, "count") == committed);
    }
}

TEST_CASE(
    "a commit whose sync failed shows to nobody, and may be there when the store is opened anew") {
    const TemporaryFolder folder;
    const auto engine = open_leveldb(folder.path() / "store", {}).value();
    const auto take_numbers = [&engine](const std::string& name) {
        auto transaction = engine->begin();
        for (const std::uint64_t step : {0, 1}) {
            transaction->put_stamped("count", {.key = "at" + std::string(8, '#'),
                                               .value = name + std::to_string(step),
                                               .in_key = sdk::StampPlace{2},
                                               .step = step});
        }
        return transaction;
    };
    const auto at = [&engine](std::int64_t number) {
        return value_of(*engine, "at" + sdk::counter_bytes(number));
    };
    {
        const FailingSyncs full;
        const auto failed = take_numbers("failed");
        const auto done = sdk::commit_and_wait(*failed);
        REQUIRE(done.has_error());
        CHECK(done.error().kind == sdk::ErrorKind::unavailable);
        CHECK(engine->status().has_error());
        CHECK(at(1) == "-");
        CHECK(counter_of(*engine, "count") == 0);
    }
    const auto patience = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (engine->status().has_error() && std::chrono::steady_clock::now() < patience)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(engine->status().has_value());
    // LevelDB's log has it. Its numbers went with it, so nobody else gets them.
    CHECK(at(1) == "failed0");
    CHECK(at(2) == "failed1");
    const auto next = take_numbers("next");
    must_commit(*next);
    CHECK(next->stamp("count") == 3U);
    CHECK(at(3) == "next0");
    CHECK(at(4) == "next1");
    CHECK(counter_of(*engine, "count") == 4);
}

TEST_CASE("a store that does not sync its commits is seen to lose them with the power") {
    const TemporaryFolder folder;
    const TemporaryFolder other;
    LevelDbOptions options;
    options.is_durable = false;
    const auto engine = open_leveldb(folder.path() / "store", options);
    REQUIRE(engine.has_value());
    for (int i = 0; i < 10; ++i)
        commit_powered(**engine, i);
    copy_after_power_loss(folder.path() / "store", other.path() / "store");
    const auto found = open_leveldb(other.path() / "store");
    REQUIRE(found.has_value());
    CHECK(missing_of(**found, 10) == 10);
}

TEST_CASE("a store that was closed is whole after the power failed") {
    const TemporaryFolder folder;
    const TemporaryFolder other;
    for (const int committed : {100, 200}) {
        INFO("after " << committed << " commits");
        {
            const auto engine =
                open_leveldb(folder.path() / "store", {.write_buffer_bytes = kBuffer});
            REQUIRE(engine.has_value());
            for (int i = committed - 100; i < committed; ++i)
                commit_powered(**engine, i);
        }
        copy_after_power_loss(folder.path() / "store", other.path() / "store");
        const auto faults = check_leveldb(other.path() / "store");
        REQUIRE(faults.has_value());
        CHECK(*faults == std::vector<std::string>());
        const auto found = open_leveldb(other.path() / "store");
        if (!found) FAIL(found.error().message);
        CHECK(missing_of(**found, committed) == 0);
    }
}

TEST_CASE("a blob that has a name is there and whole after the power failed") {
    const TemporaryFolder folder;
    const TemporaryFolder other;
    const auto blobs = open_blob_directory(folder.path() / "blobs", 0);
    REQUIRE(blobs.has_value());
    for (const std::size_t size : {0, 1, 4096, 1'000'000}) {
        INFO(size << " bytes");
        const std::string bytes(size, 'b');
        const auto writer = (*blobs)->create();
        REQUIRE(writer.has_value());
        REQUIRE((*writer)->write(bytes).has_value());
        const auto name = (*writer)->finish();
        REQUIRE(name.has_value());

        copy_after_power_loss(folder.path(), other.path() / "after", NamesKept::synced);
        const auto left = open_blob_directory(other.path() / "after" / "blobs", 0);
        REQUIRE(left.has_value());
        const auto blob = (*left)->open(*name);
        if (!blob) FAIL(blob.error().message);
        CHECK((*blob)->size() == size);
        std::string read;
        REQUIRE((*blob)->read(0, size + 1, read).has_value());
        CHECK((read == bytes));
    }
}

}  // namespace stele::testing
