#include "kernel/storage/blob/blob_collection.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/time.hpp>

#include "kernel/storage/blob/blob_directory.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::int64_t kHour = 3'600'000;

/// A folder of blobs beside a store.
struct Collection {
    testing::TemporaryFolder folder;
    sdk::testing::MemoryEngine engine;
    std::unique_ptr<sdk::BlobStore> blobs = open_blob_directory(folder.path(), 0).value();
    std::shared_mutex keeping;

    std::string add(const std::string& bytes) {
        const auto writer = blobs->create().value();
        REQUIRE(writer->write(bytes).has_value());
        return writer->finish().value();
    }
    /// A blob that was written two hours ago.
    std::string add_old(const std::string& bytes) {
        std::string name = add(bytes);
        age(name);
        return name;
    }
    void age(const std::string& name) {
        const time_t then = static_cast<time_t>((sdk::now_ms() - 2 * kHour) / 1000);
        const timespec times[2] = {{then, 0}, {then, 0}};
        const auto path = folder.path() / name.substr(0, 2) / name;
        REQUIRE(::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
    }
    void put(const std::string& key, const std::string& value) {
        const auto transaction = engine.begin();
        transaction->put(key, value);
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
    }
    UnusedBlobs collect(std::size_t at_once = 1000, bool removes = true) {
        CollectionOptions options;
        options.before_ms = sdk::now_ms() - kHour;
        options.keeping = removes ? &keeping : nullptr;
        options.blobs_at_once = at_once;
        return collect_blobs(engine, *blobs, options).value();
    }
    bool has(const std::string& name) { return blobs->exists(name).value(); }
};

}  // namespace

TEST_CASE("blobs that no row names are collected, those of any row stay") {
    Collection store;
    const std::string unused = store.add_old("unused");
    const std::string in_value = store.add_old("in a value");
    const std::string in_key = store.add_old("in a key");
    const std::string behind_digits = store.add_old("behind digits");
    const std::string in_many = store.add_old("one of many in a long value");
    store.put("row", R"({"objectId":")" + in_value + "\"}");
    store.put("key a" + in_key, "");
    store.put("other", "cafe" + behind_digits + "0");
    store.put("long", std::string(70'001, '-') + in_many + std::string(70'001, '-'));
    store.put("cut", unused.substr(0, 63) + "x" + unused.substr(63));

    const UnusedBlobs counted = store.collect(1000, false);
    CHECK(counted.blobs == 1);
    CHECK(counted.bytes == 6);
    CHECK(store.has(unused));

    const UnusedBlobs removed = store.collect();
    CHECK(removed.blobs == 1);
    CHECK(removed.bytes == 6);
    CHECK_FALSE(removed.is_cut_short);
    CHECK_FALSE(store.has(unused));
    for (const std::string& name : {in_value, in_key, behind_digits, in_many})
        CHECK(store.has(name));
}

TEST_CASE("a name is found wherever it stands in a value") {
    for (std::size_t before = 0; before < 130; ++before) {
        Collection store;
        const std::string name = store.add_old("bytes");
        store.put("row", std::string(before, before % 2 ? 'x' : '"') + name);
        INFO(before);
        REQUIRE(store.collect().blobs == 0);
    }
}

TEST_CASE("blobs that were written lately stay, also when their bytes are old") {
    Collection store;
    const std::string fresh = store.add("fresh");
    const std::string again = store.add_old("written again");
    CHECK(store.add("written again") == again);
    CHECK(store.collect().blobs == 0);
    CHECK(store.has(fresh));
    CHECK(store.has(again));
}

TEST_CASE("more blobs than fit into the memory are collected part by part") {
    Collection store;
    std::set<std::string> used;
    for (int i = 0; i < 100; ++i) {
        const std::string name = store.add_old(std::to_string(i));
        if (i % 3 != 0) continue;
        used.insert(name);
        store.put("row " + name, "");
    }
    CHECK(store.collect(7).blobs == 66);
    std::set<std::string> left;
    REQUIRE(store.blobs->for_each([&](std::string_view name) { left.emplace(name); }).has_value());
    CHECK(left == used);
}

TEST_CASE("what is unused but not due yet stays, and is not counted") {
    Collection store;
    const std::string due = store.add_old("due");
    const std::string early = store.add_old("early");
    CollectionOptions options;
    options.before_ms = sdk::now_ms() - kHour;
    options.keeping = &store.keeping;
    options.is_due = [&](const std::string& name) { return name == due; };
    CHECK(collect_blobs(store.engine, *store.blobs, options).value().blobs == 1);
    CHECK_FALSE(store.has(due));
    CHECK(store.has(early));
}

TEST_CASE("nothing is removed while somebody keeps the blobs of a moment") {
    Collection store;
    const std::string name = store.add_old("unused");
    {
        const std::shared_lock backup(store.keeping);
        std::thread([&] {
            const UnusedBlobs none = store.collect();
            CHECK(none.blobs == 0);
            CHECK(none.is_cut_short);
        }).join();
    }
    CHECK(store.has(name));
    CHECK(store.collect().blobs == 1);
}

TEST_CASE("writers of equal bytes never lose them to the collection") {
    Collection store;
    const std::int64_t before = sdk::now_ms() - kHour;
    const std::string name = store.add_old("bytes");
    std::atomic<bool> is_over = false;
    std::thread collector([&] {
        while (!is_over)
            (void)store.blobs->remove_before(name, before);
    });
    int lost = 0;
    for (int i = 0; i < 400; ++i) {
        store.add("bytes");
        if (!store.has(name)) ++lost;
        // As if hours went by; another one may have removed it by then.
        const auto path = store.folder.path() / name.substr(0, 2) / name;
        const time_t then = static_cast<time_t>((sdk::now_ms() - 2 * kHour) / 1000);
        const timespec times[2] = {{then, 0}, {then, 0}};
        (void)::utimensat(AT_FDCWD, path.c_str(), times, 0);
    }
    is_over = true;
    collector.join();
    CHECK(lost == 0);
}

}  // namespace stele::kernel::storage
