#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <limits>
#include <set>
#include <thread>

#include <catch2/catch.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/blob/blob_directory.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/storage/small_disk.hpp"

namespace stele::testing {

namespace {

namespace fs = std::filesystem;
using kernel::storage::BlobFolderUse;
using kernel::storage::open_blob_directory;
using sdk::BlobStore;

/// BLAKE2b with 32 bytes of "abc" (RFC 7693's function; value of `b2sum -l 256`).
constexpr char kNameOfAbc[] = "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";

std::unique_ptr<BlobStore> open(const TemporaryFolder& folder) {
    return open_blob_directory(folder.path(), 0).value();
}

/// As a server on another host opens it.
std::unique_ptr<BlobStore> open_shared(const TemporaryFolder& folder) {
    return open_blob_directory(folder.path(), 0, BlobFolderUse::by_hosts).value();
}

void age(const fs::path& file, std::chrono::hours by) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - by);
}

/// Whether somebody waits for the lock of a file.
bool is_waited_for(const fs::path& file) {
    struct stat found = {};
    REQUIRE(::stat(file.c_str(), &found) == 0);
    const std::string inode = ':' + std::to_string(found.st_ino) + ' ';
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);)
        if (line.find("->") != std::string::npos && line.find(inode) != std::string::npos)
            return true;
    return false;
}

std::string store(BlobStore& blobs, const std::vector<std::string>& pieces) {
    const auto writer = blobs.create().value();
    for (const std::string& piece : pieces)
        REQUIRE(writer->write(piece).has_value());
    return writer->finish().value();
}

std::string read(BlobStore& blobs, const std::string& name, std::uint64_t offset,
                 std::size_t limit) {
    std::string bytes = "was here before";
    REQUIRE(blobs.open(name).value()->read(offset, limit, bytes).has_value());
    return bytes;
}

std::size_t files_in(const fs::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) ++count;
    return count;
}

}  // namespace

TEST_CASE("a blob is named by its content, however it came") {
    const TemporaryFolder folder;
    const auto blobs = open(folder);
    CHECK(store(*blobs, {"abc"}) == kNameOfAbc);
    CHECK(store(*blobs, {"a", "", "bc"}) == kNameOfAbc);
    CHECK(files_in(folder.path()) == 1);
    CHECK(blobs->exists(kNameOfAbc).value());
    CHECK(store(*blobs, {}) != kNameOfAbc);
}

TEST_CASE("a blob is read from any place") {
    const TemporaryFolder folder;
    const auto blobs = open(folder);
    const std::string name = store(*blobs, {"0123", "456789"});
    CHECK(blobs->open(name).value()->size() == 10);
    CHECK(read(*blobs, name, 0, 100) == "0123456789");
    CHECK(read(*blobs, name, 3, 4) == "3456");
    CHECK(read(*blobs, name, 9, 4) == "9");
    CHECK(read(*blobs, name, 10, 4).empty());
    CHECK(read(*blobs, name, 1'000'000, 4).empty());
}

TEST_CASE("a blob lasts when the folder is opened again") {
    const TemporaryFolder folder;
    const std::string name = store(*open(folder), {"abc"});
    CHECK(read(*open(folder), name, 0, 3) == "abc");
}

TEST_CASE("nothing is visible of a blob that was not finished") {
    const TemporaryFolder folder;
    const auto blobs = open(folder);
    {
        const auto writer = blobs->create().value();
        REQUIRE(writer->write("abc").has_value());
        CHECK_FALSE(blobs->exists(kNameOfAbc).value());
    }
    CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("what a crash left is cleaned when the folder is opened") {
    const TemporaryFolder folder;
    const std::string name = store(*open(folder), {"abc"});
    std::ofstream(folder.path() / "unfinished" / "17") << "half a blob";
    const auto blobs = open(folder);
    CHECK(files_in(folder.path()) == 1);
    CHECK(blobs->exists(name).value());
}

TEST_CASE("what others are about to store is no leftover of a crash") {
    const TemporaryFolder folder;
    const auto blobs = open(folder);
    const auto writer = blobs->create().value();
    REQUIRE(writer->write("ab").has_value());
    const auto beside = open(folder);
    store(*beside, {"something else"});
    REQUIRE(writer->write("c").has_value());
    CHECK(writer->finish().value() == kNameOfAbc);
    CHECK(beside->exists(kNameOfAbc).value());
}

TEST_CASE("where hosts share the folder only what nobody has written to for a day is a leftover") {
    const TemporaryFolder folder;
    const std::string name = store(*open_shared(folder), {"abc"});
    const fs::path unfinished = folder.path() / "unfinished";
    for (const char* left : {"lately", "yesterday", "long-ago"})
        std::ofstream(unfinished / left) << "half a blob";
    age(unfinished / "yesterday", std::chrono::hours(23));
    age(unfinished / "long-ago", std::chrono::hours(25));
    age(folder.path() / name.substr(0, 2) / name, std::chrono::hours(25));
    const auto blobs = open_shared(folder);
    CHECK(fs::exists(unfinished / "lately"));
    CHECK(fs::exists(unfinished / "yesterday"));
    CHECK_FALSE(fs::exists(unfinished / "long-ago"));
    CHECK(blobs->exists(name).value());
    // Also beside a server that has it open: on a shared folder one always has.
    age(unfinished / "yesterday", std::chrono::hours(25));
    const auto beside = open_shared(folder);
    CHECK_FALSE(fs::exists(unfinished / "yesterday"));
}

TEST_CASE("where hosts share the folder a blob is removed under a lock that reaches all of them") {
    const TemporaryFolder folder;
    const auto blobs = open_shared(folder);
    const std::string name = store(*blobs, {"abc"});
    const fs::path lock_file = folder.path() / name.substr(0, 2) / "lock";
    // Of a file that is open for writing: flock(2).
    const kernel::file::PosixFile lock(lock_file, O_RDWR);
    REQUIRE(lock.is_open());
    REQUIRE(::flock(lock.descriptor(), LOCK_SH | LOCK_NB) == 0);
    CHECK(store(*blobs, {"abc"}) == name);
    std::atomic<bool> is_removed = false;
    std::thread remover([&] {
        const auto removed =
            blobs->remove_before(name, std::numeric_limits<std::int64_t>::max()).value();
        is_removed = removed == std::uint64_t{3};
    });
    while (!is_removed && !is_waited_for(lock_file))
        std::this_thread::yield();
    CHECK_FALSE(is_removed);
    CHECK(blobs->exists(name).value());
    CHECK(::flock(lock.descriptor(), LOCK_UN) == 0);
    remover.join();
    CHECK(is_removed);
    CHECK_FALSE(blobs->exists(name).value());
}

TEST_CASE("what locks a folder that hosts share is no blob") {
    const TemporaryFolder folder;
    const auto blobs = open_shared(folder);
    const std::string name = store(*blobs, {"abc"});
    std::set<std::string> visited;
    REQUIRE(blobs->for_each([&](std::string_view one) { visited.emplace(one); }).has_value());
    CHECK(visited == std::set{name});
    CHECK_FALSE(blobs->exists("lock").value());
}

TEST_CASE("an unknown blob is not found") {
    const TemporaryFolder folder;
    const auto blobs = open(folder);
    for (const std::string name : {kNameOfAbc, "", "../../etc/passwd", "unfinished/1"}) {
        const auto blob = blobs->open(name);
        REQUIRE(blob.has_error());
        CHECK(blob.error().kind == sdk::ErrorKind::not_found);
        CHECK(blob.error().code == "blob.unknown");
        CHECK_FALSE(blobs->exists(name).value());
        CHECK(blobs->remove(name).has_value());
    }
}

TEST_CASE("a removed blob is gone, and an open one is still read") {
    const TemporaryFolder folder;
    const auto blobs = open(folder);
    const std::string name = store(*blobs, {"abc"});
    const auto reader = blobs->open(name).value();
    REQUIRE(blobs->remove(name).has_value());
    CHECK_FALSE(blobs->exists(name).value());
    std::string bytes;
    REQUIRE(reader->read(0, 3, bytes).has_value());
    CHECK(bytes == "abc");
}

TEST_CASE("all blobs are visited") {
    const TemporaryFolder folder;
    const auto blobs = open(folder);
    std::set<std::string> stored;
    for (int i = 0; i < 50; ++i)
        stored.insert(store(*blobs, {std::to_string(i)}));
    const auto unfinished = blobs->create().value();
    std::set<std::string> visited;
    REQUIRE(blobs->for_each([&](std::string_view name) { visited.emplace(name); }).has_value());
    CHECK(visited == stored);
    CHECK(visited.size() == 50);
}

TEST_CASE("a blob that would take the reserve is refused and leaves nothing") {
    const TemporaryFolder folder;
    std::uint64_t available = 0;
    REQUIRE(kernel::file::available_bytes(folder.path(), available));
    const auto blobs = open_blob_directory(folder.path(), available * 2).value();
    {
        const auto writer = blobs->create().value();
        const auto refused = writer->write("abc");
        REQUIRE(refused.has_error());
        CHECK(refused.error().kind == sdk::ErrorKind::storage_full);
        CHECK(refused.error().code == "blob.disk_full");
    }
    CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("the reserve stays whole, whatever is asked for at a time") {
    const SmallDisk disk("8m");
    if (!disk.is_mounted()) {
        WARN("skipped: mounting a small disk is not permitted (" << errno << ")");
        return;
    }
    constexpr std::uint64_t kHalf = 512 * 1024;
    REQUIRE(open_blob_directory(disk.path() / "blobs", 0).has_value());
    std::uint64_t available = 0;
    REQUIRE(kernel::file::available_bytes(disk.path(), available));
    // Room is asked for by the megabyte.
    const auto narrow = open_blob_directory(disk.path() / "blobs", available - kHalf).value();
    const auto refused = narrow->create().value()->write("abc");
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "blob.disk_full");
    const auto wide = open_blob_directory(disk.path() / "blobs", available - 3 * kHalf).value();
    const auto writer = wide->create().value();
    CHECK(writer->write(std::string(2 * kHalf, 'x')).has_value());
    CHECK(writer->write("abc").has_error());
}

}  // namespace stele::testing
