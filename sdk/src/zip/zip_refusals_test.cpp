// Archives that lie, each put together by hand, and archives that chance has changed.

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/zip.hpp>

#include "sdk/testing/memory_bytes.hpp"
#include "sdk/testing/raw_archive.hpp"
#include "sdk/testing/sparse_bytes.hpp"
#include "tests/support/repetitions.hpp"

namespace stele::sdk {

namespace {

using testing::deflated;
using testing::deflated_entry;
using testing::large_field;
using testing::MemoryBytes;
using testing::raw_archive;
using testing::RawEnd;
using testing::RawEntry;
using testing::SparseBytes;

constexpr std::uint32_t kUnix = 1U << 16U;
/// A record of the directory with the longest name, extra field and comment.
constexpr std::size_t kLongestRecord = 46 + 3 * 65'535;

/// Reads everything; empty, or the code of the failure. Each file's bytes go to `visit`.
std::string unpacked(MemoryBytes& bytes, const ZipLimits& limits,
                     const std::function<void(const ZipEntry&, std::string)>& visit) {
    auto reader = ZipReader::open(bytes, limits);
    if (!reader) return reader.error().code;
    auto read = reader->for_each([&](const ZipEntry& entry) -> Result<bool> {
        const PieceSource source = reader->read(entry);
        std::string all;
        for (std::string piece = "-"; !piece.empty(); all += piece) {
            if (auto more = source(piece); !more) return more.error();
        }
        visit(entry, all);
        return true;
    });
    return read ? std::string() : read.error().code;
}

std::string refusal(const std::string& archive, const ZipLimits& limits = {}) {
    MemoryBytes bytes(archive);
    return unpacked(bytes, limits, [](const ZipEntry&, const std::string&) {});
}

/// The code with which opening alone ends.
std::string refusal_at_open(const std::string& archive, const ZipLimits& limits = {}) {
    MemoryBytes bytes(archive);
    auto reader = ZipReader::open(bytes, limits);
    return reader ? std::string() : reader.error().code;
}

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i)
        all += text;
    return all;
}

}  // namespace

TEST_CASE("paths that lead out of an archive or cannot be shown are refused when it is opened") {
    const std::vector<std::string> paths{"",
                                         "/",
                                         "/etc/passwd",
                                         "..",
                                         "../a",
                                         "a/../b",
                                         "a/..",
                                         ".",
                                         "./a",
                                         "a/./b",
                                         "a//b",
                                         "a//",
                                         "\\a",
                                         "a\\..\\b",
                                         "a\nb",
                                         "a\tb",
                                         "a\x7f",
                                         "\x01",
                                         "a\xc2\x85",
                                         std::string(4097, 'a'),
                                         repeated("a/", 101) + "b",
                                         std::string("a\0b", 3)};
    for (const std::string& path : paths) {
        CAPTURE(path);
        CHECK(refusal_at_open(raw_archive({{.name = "good"}, {.name = path, .bytes = ""}})) ==
              "zip.path_unsafe");
    }
    for (const std::string& path :
         {std::string("..a"), std::string("a..b/..."), std::string(4096, 'a'),
          repeated("a/", 100) + "b", std::string("\xc3\xbc/\xc2\xa0")}) {
        CAPTURE(path);
        CHECK(refusal(raw_archive({{.name = path}})) == "");
    }
}

TEST_CASE("a path comes once, and is not the folder of another one") {
    const std::map<std::string, std::vector<std::string>> twice{
        {"two files", {"a", "b", "a"}},
        {"two folders", {"a/", "a/b", "a/"}},
        {"a file and a folder", {"a", "a/"}},
        {"a file and a folder that is named", {"a", "a/b"}},
        {"the other way round", {"a/b/c", "x", "a/b"}},
        {"one path in two encodings", {"\xc3\xbc", "\x81"}}};
    for (const auto& [what, paths] : twice) {
        CAPTURE(what);
        std::vector<RawEntry> entries;
        for (const std::string& path : paths)
            entries.push_back({.name = path, .bytes = ""});
        CHECK(refusal_at_open(raw_archive(entries)) == "zip.path_twice");
    }
    CHECK(refusal(raw_archive(
              {{.name = "a/", .bytes = ""}, {.name = "a/b"}, {.name = "A"}, {.name = "ab"}})) ==
          "");
}

TEST_CASE("what is no plain file or folder is refused when an archive is opened") {
    const std::map<std::string, RawEntry> entries{
        {"encrypted", {.flags = 1}},
        {"patched", {.flags = 1U << 5U}},
        {"strongly encrypted", {.flags = 1U << 6U}},
        {"with hidden headers", {.flags = 1U << 13U}},
        {"imploded", {.method = 6}},
        {"packed by bzip2", {.method = 12}},
        {"packed by LZMA", {.method = 14}},
        {"a symbolic link", {.attributes = 0120777 * kUnix}},
        {"a block device", {.attributes = 0060600 * kUnix}},
        {"a character device", {.attributes = 0020600 * kUnix}},
        {"a pipe", {.attributes = 0010600 * kUnix}},
        {"a socket", {.attributes = 0140600 * kUnix}},
        {"in another volume", {.disk = 1}}};
    for (const auto& [what, entry] : entries) {
        CAPTURE(what);
        CHECK(refusal_at_open(raw_archive({entry})) == "zip.entry_unsupported");
    }
    CHECK(refusal(raw_archive({{.attributes = 0100644 * kUnix}})) == "");
    CHECK(refusal(raw_archive({{.name = "a/", .bytes = "", .attributes = 0040755 * kUnix}})) == "");
    CHECK(refusal_at_open(raw_archive({{}}, {.disk = 1})) == "zip.entry_unsupported");
    CHECK(refusal_at_open(raw_archive({{}}, {.has_zip64 = true, .large_disk = 1})) ==
          "zip.entry_unsupported");
}

TEST_CASE("an archive whose end does not tell where its directory is cannot be read") {
    const std::string good = raw_archive({{}, {.name = "b"}});
    REQUIRE(refusal(good) == "");
    CHECK(refusal_at_open("") == "zip.malformed");
    CHECK(refusal_at_open(std::string(100'000, 'x')) == "zip.malformed");
    for (std::size_t size = 0; size < good.size(); ++size) {
        CAPTURE(size);
        CHECK(refusal_at_open(good.substr(0, size)) == "zip.malformed");
    }
    const std::map<std::string, RawEnd> ends{
        {"something before it", {.before = "#!/bin/sh\n"}},
        {"something behind the directory", {.behind_directory = "something"}},
        {"too few entries", {.count = 1}},
        {"too many entries", {.count = 3}},
        {"more entries than there is room for", {.count = 60'000}},
        {"a directory that is too short", {.directory_size = 46}},
        {"a directory that is too long", {.directory_size = 0xfffffffe}},
        {"a directory elsewhere", {.directory_begin = 0}},
        {"a directory outside", {.directory_begin = 0xfffffffe}},
        {"ZIP64 that is not there", {.directory_begin = 0xffffffff}},
        {"a comment that is too long", {.comment_size = 1}},
        {"a comment that is too short", {.comment = "comment", .comment_size = 6}},
        {"a count that ZIP64 does not tell", {.count = 1, .has_zip64 = true}},
        {"a size that ZIP64 does not tell", {.directory_size = 5, .has_zip64 = true}},
        {"a place that ZIP64 does not tell", {.directory_begin = 5, .has_zip64 = true}},
        {"another count in ZIP64", {.has_zip64 = true, .large_count = 1}},
        {"another directory in ZIP64", {.has_zip64 = true, .large_begin = 0}},
        {"a directory far outside in ZIP64",
         {.directory_begin = 0xffffffff, .has_zip64 = true, .large_begin = ~std::uint64_t{0}}},
        {"more entries than can be",
         {.count = 0xffff, .has_zip64 = true, .large_count = 10'000'000}},
        {"a ZIP64 record elsewhere", {.has_zip64 = true, .large_position = 0}},
        {"a ZIP64 record outside", {.has_zip64 = true, .large_position = ~std::uint64_t{0}}},
        {"a ZIP64 record of another size", {.has_zip64 = true, .large_size = 45}}};
    for (const auto& [what, end] : ends) {
        CAPTURE(what);
        // A limit beyond every count, so that what the end says is found to be wrong.
        CHECK(refusal_at_open(raw_archive({{}, {.name = "b"}}, end), {.entries = 20'000'000}) ==
              "zip.malformed");
    }
    CHECK(refusal(raw_archive({{}}, {.comment = "a comment"})) == "");
    CHECK(refusal(raw_archive({{}}, {.has_zip64 = true})) == "");
    CHECK(refusal(raw_archive({{}}, {.count = 0xffff,
                                     .directory_size = 0xffffffff,
                                     .directory_begin = 0xffffffff,
                                     .has_zip64 = true})) == "");
}

TEST_CASE("a directory that is damaged, or that entries reach into, is refused when it is opened") {
    const std::map<std::string, std::vector<RawEntry>> archives{
        {"two entries at one place", {{}, {.name = "b", .offset = 0}}},
        {"an entry inside of another one",
         {{.bytes = std::string(200, 'a')}, {.name = "b", .offset = 50}}},
        {"an entry that reaches into the next one",
         {{.size = 11, .packed_size = 11}, {.name = "b"}}},
        {"the same, the other way round",
         {{.name = "b", .offset = 41}, {.size = 11, .packed_size = 11, .offset = 0}}},
        {"an entry that reaches into the directory", {{.size = 11, .packed_size = 11}}},
        {"an entry in the directory", {{.offset = 41}}},
        {"an entry outside", {{.offset = 0xfffffffe}}},
        {"an entry of nearly everything", {{.size = 0xfffffffe, .packed_size = 0xfffffffe}}},
        {"a size in ZIP64 that is not there", {{.size = 0xffffffff}}},
        {"a ZIP64 field that is too short", {{.size = 0xffffffff, .extra = large_field({})}}},
        {"a field that is longer than all",
         {{.size = 0xffffffff, .extra = std::string("\x09\x00\xff\xff", 4)}}},
        {"an entry far outside",
         {{.offset = 0xffffffff, .extra = large_field({~std::uint64_t{0}})}}},
        {"stored bytes of another size", {{.size = 9}}},
        {"a folder with bytes", {{.name = "a/"}}}};
    for (const auto& [what, entries] : archives) {
        CAPTURE(what);
        CHECK(refusal_at_open(raw_archive(entries), {.least_bytes = ~std::uint64_t{0},
                                                     .most_bytes = ~std::uint64_t{0}}) ==
              "zip.malformed");
    }
    std::string damaged = raw_archive({{}, {.name = "b"}});
    damaged[damaged.rfind("PK\x01\x02")] = 'Q';
    CHECK(refusal_at_open(damaged) == "zip.malformed");
}

TEST_CASE("entries lie in any order, and each ends before the next one") {
    // The directory's two records, of one length, change places.
    const auto turned = [](const std::string& archive) {
        const std::size_t a = archive.find(zip::kDirectoryHead);
        const std::size_t b = archive.find(zip::kDirectoryHead, a + 1);
        return archive.substr(0, a) + archive.substr(b, b - a) + archive.substr(a, b - a) +
               archive.substr(b + (b - a));
    };
    MemoryBytes bytes(turned(raw_archive({{.bytes = "first"}, {.name = "b", .bytes = "second"}})));
    std::string told;
    const auto tell = [&](const ZipEntry& entry, const std::string& text) {
        told += entry.path + '=' + text + ' ';
    };
    REQUIRE(unpacked(bytes, {}, tell) == "");
    CHECK(told == "b=second a=first ");
    // An extra field of one byte moves the bytes of a file, whose last is then the next one's
    // first.
    const std::string moved = raw_archive(
        {{.bytes = "first", .checksum = testing::checksum_of("irstP"), .local_extra_size = 1},
         {.name = "b"}});
    for (const std::string& archive : {moved, turned(moved)}) {
        CHECK(refusal_at_open(archive) == "");
        CHECK(refusal(archive) == "zip.malformed");
    }
}

TEST_CASE("a file that is not what the directory says is refused while it is read") {
    const std::string text = repeated("many words ", 30'000);
    const auto changed = [&](const std::function<void(RawEntry&)>& change) {
        RawEntry entry = deflated_entry("a", text);
        change(entry);
        return entry;
    };
    const std::map<std::string, RawEntry> entries{
        {"no header", {.local_signature = "PK\x03\x05"}},
        {"another name", {.local_name = "b"}},
        {"a longer name", {.local_name = "ab"}},
        {"another method", {.local_method = 8}},
        {"another checksum in its header", {.local_checksum = 1}},
        {"another size in its header", {.local_size = 1}},
        {"another packed size in its header", {.local_packed_size = 1}},
        {"a size in ZIP64 that is not there", {.local_size = 0xffffffff}},
        {"another size in ZIP64", {.local_size = 0xffffffff, .local_extra = large_field({11})}},
        {"an extra field that is too long", {.local_extra_size = 5}},
        {"another checksum", {.checksum = 1}},
        {"another checksum of a deflated file", changed([](RawEntry& e) { e.checksum = 1; })},
        {"more bytes", changed([&](RawEntry& e) { e.size = text.size() - 1; })},
        {"many more bytes", changed([](RawEntry& e) { e.size = 1; })},
        {"none announced", changed([](RawEntry& e) { e.size = 0; })},
        {"fewer bytes", changed([&](RawEntry& e) { e.size = text.size() + 1; })},
        {"noise", changed([](RawEntry& e) { e.bytes = std::string(50, '\xff'); })},
        {"an end too early", changed([](RawEntry& e) { e.bytes.pop_back(); })},
        {"an end too late", changed([](RawEntry& e) { e.bytes += 'x'; })},
        {"no packed bytes", changed([](RawEntry& e) { e.bytes.clear(); })}};
    for (const auto& [what, entry] : entries) {
        CAPTURE(what);
        CHECK(refusal_at_open(raw_archive({entry})) == "");
        CHECK(refusal(raw_archive({entry})) == "zip.malformed");
    }
    CHECK(refusal(raw_archive({{.local_flags = 1}})) == "zip.entry_unsupported");
    CHECK(refusal(raw_archive({changed([](RawEntry&) {})})) == "");
    // With a descriptor behind the bytes the header knows nothing of them yet.
    CHECK(refusal(raw_archive(
              {{.flags = 8, .local_checksum = 0, .local_size = 0, .local_packed_size = 0}})) == "");
    CHECK(refusal(raw_archive({{.size = 0xffffffff,
                                .packed_size = 0xffffffff,
                                .offset = 0xffffffff,
                                .extra = large_field({10, 10, 0}),
                                .local_extra = large_field({10, 10})}})) == "");
}

TEST_CASE("a failure of a file stays one") {
    MemoryBytes bytes(raw_archive({{.checksum = 1}}));
    auto reader = ZipReader::open(bytes, {});
    REQUIRE(reader.has_value());
    auto entry = reader->find("a");
    REQUIRE(entry.has_value());
    const PieceSource source = reader->read(**entry);
    std::string piece;
    REQUIRE(source(piece).has_value());
    CHECK(piece == "some bytes");
    for (int i = 0; i < 3; ++i)
        CHECK(source(piece).error().code == "zip.malformed");
}

TEST_CASE("an archive beyond the limits is refused before anything is unpacked") {
    const auto many = [](int count, const std::string& behind) {
        std::vector<RawEntry> entries;
        for (int i = 0; i < count; ++i)
            entries.push_back({.name = std::to_string(i) + behind, .bytes = ""});
        return raw_archive(entries);
    };
    CHECK(refusal_at_open(many(11, ""), {.entries = 10}) == "zip.too_large");
    CHECK(refusal_at_open(many(10, ""), {.entries = 10}) == "");
    CHECK(refusal_at_open(many(2, "/1/2/3/4/5"), {.entries = 10}) == "");
    CHECK(refusal_at_open(many(3, "/1/2/3/"), {.entries = 11}) == "zip.too_large");
    CHECK(refusal_at_open(many(3, "/1/2/3/"), {.entries = 12}) == "");
    CHECK(refusal_at_open(many(3000, "/1/2/3/4"), {.entries = 3000}) == "zip.too_large");

    const std::string zeros(100'000, '\0');
    const std::string bomb = raw_archive({deflated_entry("a", zeros)});
    const auto size = bomb.size();
    CHECK(refusal(bomb, {.expansion = 1, .least_bytes = 0}) == "zip.too_large");
    CHECK(refusal(bomb, {.expansion = zeros.size() / size, .least_bytes = 0}) == "zip.too_large");
    CHECK(refusal(bomb, {.expansion = zeros.size() / size + 1, .least_bytes = 0}) == "");
    CHECK(refusal(bomb, {.expansion = 1, .least_bytes = zeros.size()}) == "");
    CHECK(refusal(bomb, {.expansion = 1'000'000, .most_bytes = zeros.size() - 1}) ==
          "zip.too_large");
    CHECK(refusal(bomb, {.expansion = ~std::uint64_t{0}, .least_bytes = 0}) == "");
    CHECK(refusal_at_open(raw_archive({{.method = 8, .size = 0x7fffffff},
                                       {.name = "b", .method = 8, .size = 0x7fffffff}})) ==
          "zip.too_large");
}

TEST_CASE("a file that must be small is not read when it is not") {
    MemoryBytes bytes(raw_archive({{}}));
    auto reader = ZipReader::open(bytes, {});
    REQUIRE(reader.has_value());
    auto entry = reader->find("a");
    REQUIRE(entry.has_value());
    CHECK(reader->read_all(**entry, 10).value() == "some bytes");
    CHECK(reader->read_all(**entry, 9).error().code == "zip.too_large");
}

TEST_CASE("of an archive that announces too many entries only the end is read") {
    // As long as its directory would have to be, were there ten million entries.
    constexpr std::uint64_t kCount = 10'000'000;
    constexpr std::uint64_t kSize = kCount * 46;
    std::string end = raw_archive({}, {.count = 0xffff,
                                       .directory_size = 0xffffffff,
                                       .directory_begin = 0xffffffff,
                                       .has_zip64 = true,
                                       .large_count = kCount,
                                       .large_position = kSize});
    std::string size;
    zip::append_number(size, kSize);
    end.replace(40, size.size(), size);
    SparseBytes bytes;
    bytes.append_zeros(kSize);
    bytes.append(end);
    CHECK(ZipReader::open(bytes, {.entries = kCount - 1}).error().code == "zip.too_large");
    CHECK(bytes.total_read() < 70'000);
    CHECK(ZipReader::open(bytes, {.entries = kCount}).error().code == "zip.malformed");
}

TEST_CASE("an archive that chance has changed is read or refused, in bounded memory") {
    const std::string text = repeated("many words ", 20);
    const std::string good = raw_archive({{.name = "folder/", .bytes = ""},
                                          {.name = "folder/a", .bytes = "stored"},
                                          deflated_entry("folder/b", text),
                                          {.name = "c",
                                           .bytes = deflated(text),
                                           .method = 8,
                                           .flags = 8,
                                           .checksum = testing::checksum_of(text),
                                           .size = text.size(),
                                           .local_checksum = 0,
                                           .local_size = 0,
                                           .local_packed_size = 0},
                                          {.name = "d",
                                           .size = 0xffffffff,
                                           .packed_size = 0xffffffff,
                                           .extra = large_field({10, 10, 0}),
                                           .local_extra = large_field({10, 10})}},
                                         {.comment = "comment", .has_zip64 = true});
    REQUIRE(refusal(good) == "");
    const ZipLimits limits{.entries = 100, .least_bytes = 100'000, .most_bytes = 1'000'000};
    std::mt19937 random(141);
    const auto below = [&](std::size_t bound) { return std::size_t{random()} % bound; };
    const int rounds = stele::testing::repetitions(1000);
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
        CAPTURE(round);
        std::string changed = good;
        for (std::size_t i = 0; i <= below(3); ++i) {
            const std::size_t at = below(changed.size());
            switch (below(5)) {
                case 0:
                    changed.erase(at, below(20) + 1);
                    break;
                case 1:
                    changed.insert(at, good, below(good.size()), below(60));
                    break;
                case 2:
                    changed[at] = "\x00\x01\x7f\xff"[below(4)];
                    break;
                default:
                    changed[at] = static_cast<char>(random());
                    break;
            }
        }
        MemoryBytes bytes(changed, 1 + below(200));
        std::uint64_t told = 0;
        const std::string code = unpacked(
            bytes, limits, [&](const ZipEntry&, const std::string& all) { told += all.size(); });
        CHECK((code.empty() || code.starts_with("zip.")));
        CHECK(told <= limits.most_bytes);
        CHECK(bytes.largest() <= kLongestRecord);
        refused += code.empty() ? 0 : 1;
    }
    CHECK(refused > rounds / 2);
}

}  // namespace stele::sdk
