// Archives of more entries than a reader keeps in memory where it has a folder for the rest.
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/zip.hpp>

#include "sdk/testing/memory_bytes.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::sdk {

namespace {

constexpr int kMany = 70'000;
constexpr ZipLimits kManyEntries{.entries = 200'000};

std::string path_number(int number) {
    return "folders/" + std::to_string(100'000 + number) + "/file";
}

/// Of so many files in folders of their own, each with its number, and of others behind them.
std::string archive_of_many(const std::vector<std::string>& others = {}) {
    const stele::testing::TemporaryFolder folder;
    std::string bytes;
    auto writer = ZipWriter::open(
        [&bytes](std::string_view piece) {
            bytes += piece;
            return Result<void>();
        },
        folder.path());
    REQUIRE(writer.has_value());
    for (int i = 0; i < kMany; ++i)
        REQUIRE(writer->add(path_number(i), std::to_string(i)).has_value());
    for (const std::string& path : others)
        REQUIRE(writer->add(path, path.ends_with('/') ? "" : "other").has_value());
    REQUIRE(writer->finish().has_value());
    return bytes;
}

std::string refusal_of_many(const std::string& archive) {
    const stele::testing::TemporaryFolder folder;
    testing::MemoryBytes bytes(archive);
    auto reader = ZipReader::open(bytes, kManyEntries, folder.path());
    return reader ? "" : reader.error().code;
}

/// Reads each file by its path.
void check_many(const std::string& archive) {
    const stele::testing::TemporaryFolder folder;
    testing::MemoryBytes bytes(archive);
    auto reader = ZipReader::open(bytes, kManyEntries, folder.path());
    REQUIRE(reader.has_value());
    CHECK(std::filesystem::is_empty(folder.path()));
    for (int i = 0; i < kMany; ++i) {
        auto entry = reader->find(path_number(i));
        REQUIRE(entry.has_value());
        REQUIRE(entry->has_value());
        const auto text = reader->read_all(**entry, 100);
        REQUIRE(text.has_value());
        REQUIRE(*text == std::to_string(i));
    }
    for (const char* absent : {"folders", "folders/100000", "file", "folders/99999/file"}) {
        auto entry = reader->find(absent);
        REQUIRE(entry.has_value());
        CHECK_FALSE(entry->has_value());
    }
}

}  // namespace

TEST_CASE("of many entries each is found, in whatever order they lie") {
    std::string archive = archive_of_many();
    check_many(archive);
    // Two records of the directory, of one length, change places.
    const std::size_t first = archive.find("PK\x01\x02");
    const std::size_t length = archive.find("PK\x01\x02", first + 1) - first;
    const std::size_t other = first + 40'000 * length;
    REQUIRE(archive.compare(other, 4, "PK\x01\x02") == 0);
    std::swap_ranges(archive.begin() + static_cast<std::ptrdiff_t>(first),
                     archive.begin() + static_cast<std::ptrdiff_t>(first + length),
                     archive.begin() + static_cast<std::ptrdiff_t>(other));
    check_many(archive);
}

TEST_CASE("among many entries those of one path are refused, and files that are folders") {
    CHECK(refusal_of_many(archive_of_many({"another"})) == "");
    CHECK(refusal_of_many(archive_of_many({path_number(3)})) == "zip.path_twice");
    CHECK(refusal_of_many(archive_of_many({path_number(3) + '/'})) == "zip.path_twice");
    CHECK(refusal_of_many(archive_of_many({"folders/100003"})) == "zip.path_twice");
    CHECK(refusal_of_many(archive_of_many({path_number(3) + "/inside"})) == "zip.path_twice");
    CHECK(refusal_of_many(archive_of_many({"folders/100003/"})) == "");
}

TEST_CASE("many entries that cannot be kept are a failure of the disk") {
    testing::MemoryBytes bytes(archive_of_many());
    auto reader = ZipReader::open(bytes, kManyEntries, "/nowhere/at/all");
    REQUIRE_FALSE(reader.has_value());
    CHECK(reader.error().code == "zip.disk_failed");
}

}  // namespace stele::sdk
