// Archives that are written and read again, by this reader and by others.

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/zip.hpp>

#include "sdk/testing/memory_bytes.hpp"
#include "sdk/testing/raw_archive.hpp"
#include "sdk/testing/sparse_bytes.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::sdk {

namespace {

namespace fs = std::filesystem;
using stele::testing::TemporaryFolder;
using testing::MemoryBytes;
using testing::SparseBytes;

constexpr ZipLimits kNoLimits{.entries = 1'000'000,
                              .expansion = 1'000'000,
                              .least_bytes = ~std::uint64_t{0},
                              .most_bytes = ~std::uint64_t{0}};

/// An archive as a file in the folder.
fs::path put(const TemporaryFolder& folder, const std::string& bytes) {
    const fs::path file = folder.path() / "archive.zip";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
}

/// Whether a program takes the file: its arguments stand before the file's name.
bool takes(const std::string& program, const fs::path& file) {
    return std::system((program + " '" + file.string() + "' >/dev/null").c_str()) == 0;
}

/// Python always, and others where they are.
void check_with_others(const std::string& archive) {
    const TemporaryFolder folder;
    const fs::path file = put(folder, archive);
    CHECK(
        takes("python3 -c 'import sys, zipfile; sys.exit(zipfile.ZipFile(sys.argv[1]).testzip() "
              "is not None)'",
              file));
    if (takes("command -v", "unzip")) CHECK(takes("unzip -tqq", file));
    if (takes("command -v", "unzip") && takes("command -v", "zip")) CHECK(takes("zip -qT", file));
}

PieceSource pieces_of(const std::string& bytes, std::size_t size) {
    return [&bytes, size, at = std::size_t{0}](std::string& piece) mutable -> Result<void> {
        piece = bytes.substr(at, size);
        at += piece.size();
        return {};
    };
}

/// What `fill` writes.
std::string written(const std::function<void(ZipWriter& writer)>& fill) {
    const TemporaryFolder folder;
    std::string archive;
    auto writer = ZipWriter::open(
        [&](std::string_view bytes) -> Result<void> {
            archive += bytes;
            return {};
        },
        folder.path());
    REQUIRE(writer.has_value());
    fill(*writer);
    CHECK(fs::is_empty(folder.path()));
    REQUIRE(writer->finish().has_value());
    CHECK(writer->size() == archive.size());
    return archive;
}

/// Paths and bytes of all entries.
std::map<std::string, std::string> content_of(const std::string& archive) {
    MemoryBytes bytes(archive, 10'000);
    auto reader = ZipReader::open(bytes, kNoLimits);
    REQUIRE(reader.has_value());
    std::map<std::string, std::string> content;
    auto read = reader->for_each([&](const ZipEntry& entry) -> Result<bool> {
        auto all = reader->read_all(entry, std::size_t{1} << 30U);
        if (!all) return all.error();
        content[entry.path] = std::move(*all);
        return true;
    });
    REQUIRE(read.has_value());
    CHECK(content.size() == reader->entry_count());
    return content;
}

std::string noise(std::size_t size) {
    std::mt19937 random(1);
    std::string bytes(size, '\0');
    for (char& c : bytes)
        c = static_cast<char>(random());
    return bytes;
}

std::string words(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += "word " + std::to_string(i * i) + ' ';
    return text;
}

}  // namespace

TEST_CASE("an archive of nothing is one") {
    const std::string archive = written([](ZipWriter&) {});
    CHECK(archive.size() == 22);
    CHECK(content_of(archive).empty());
    const TemporaryFolder folder;
    CHECK(takes("python3 -m zipfile -t", put(folder, archive)));
}

TEST_CASE("files come back as they were written, whoever reads them") {
    const std::map<std::string, std::string> content{
        {"empty", ""},
        {"folder/", ""},
        {"folder/letter", "x"},
        {"folder/\xc3\xbc\xe2\x82\xac.txt", words(1000)},
        {"noise", noise(100'000)},
        {"large", words(500'000)},
        {"zeros", std::string(3'000'000, '\0')}};
    const std::string whole = written([&](ZipWriter& writer) {
        for (const auto& [path, bytes] : content)
            REQUIRE(writer.add(path, bytes).has_value());
    });
    CHECK(content_of(whole) == content);
    check_with_others(whole);
    for (const bool is_packed : {false, true}) {
        const std::string streamed = written([&](ZipWriter& writer) {
            REQUIRE(writer.add("folder/", "").has_value());
            for (const auto& [path, bytes] : content) {
                if (path == "folder/") continue;
                REQUIRE(writer.add(path, pieces_of(bytes, 70'000), is_packed).has_value());
            }
        });
        CHECK(content_of(streamed) == content);
        check_with_others(streamed);
    }
}

TEST_CASE("a file at hand is deflated where that makes it shorter") {
    MemoryBytes bytes(written([](ZipWriter& writer) {
        REQUIRE(writer.add("words", words(100)).has_value());
        REQUIRE(writer.add("noise", noise(1000)).has_value());
        REQUIRE(writer.add("short", "xyz").has_value());
    }));
    auto reader = ZipReader::open(bytes, {});
    REQUIRE(reader.has_value());
    const auto words_entry = reader->find("words").value().value();
    CHECK(words_entry.method == zip::kDeflated);
    CHECK(words_entry.packed_size < words_entry.size);
    for (const char* path : {"noise", "short"}) {
        const auto entry = reader->find(path).value().value();
        CHECK(entry.method == zip::kStored);
        CHECK(entry.packed_size == entry.size);
    }
}

TEST_CASE("equal content makes equal bytes, however it comes") {
    const std::string text = words(200'000);
    std::vector<std::string> archives;
    for (const std::size_t size : {std::size_t{777}, std::size_t{65'536}, text.size()}) {
        archives.push_back(written([&](ZipWriter& writer) {
            REQUIRE(writer.add("at hand", text).has_value());
            REQUIRE(writer.add("deflated", pieces_of(text, size), true).has_value());
            REQUIRE(writer.add("stored", pieces_of(text, size), false).has_value());
        }));
    }
    CHECK(archives[0] == archives[1]);
    CHECK(archives[0] == archives[2]);
}

TEST_CASE("more entries than 16 bits count are written, found and read") {
    constexpr int kCount = 70'001;
    const auto path_of = [](int i) {
        return "folder" + std::to_string(i % 7) + '/' + std::to_string(i) + ".json";
    };
    const std::string archive = written([&](ZipWriter& writer) {
        for (int i = 0; i < kCount; ++i)
            REQUIRE(writer.add(path_of(i), std::to_string(i)).has_value());
    });
    MemoryBytes bytes(archive);
    auto reader = ZipReader::open(bytes, kNoLimits);
    REQUIRE(reader.has_value());
    CHECK(reader->entry_count() == kCount);
    int seen = 0;
    int wrong = 0;
    auto visited = reader->for_each([&](const ZipEntry& entry) -> Result<bool> {
        wrong += entry.path == path_of(seen++) ? 0 : 1;
        return true;
    });
    REQUIRE(visited.has_value());
    CHECK(seen == kCount);
    CHECK(wrong == 0);
    for (const int i : {0, 1, 65'534, 65'535, 65'536, kCount - 1}) {
        auto entry = reader->find(path_of(i));
        REQUIRE((entry.has_value() && entry->has_value()));
        CHECK(reader->read_all(**entry, 10).value() == std::to_string(i));
    }
    CHECK(!reader->find("folder0").value().has_value());
    CHECK(!reader->find("folder0/1.json").value().has_value());
    CHECK(!reader->find(path_of(0) + '/').value().has_value());
    check_with_others(archive);
}

TEST_CASE("counts around the sentinel of 16 bits are read by others, too") {
    for (const int count : {65'534, 65'535}) {
        const std::string archive = written([&](ZipWriter& writer) {
            for (int i = 0; i < count; ++i)
                REQUIRE(writer.add(std::to_string(i), "").has_value());
        });
        const bool has_zip64 = archive.find(zip::kZip64Locator) != std::string::npos;
        CHECK(has_zip64 == (count > 65'534));
        CHECK(content_of(archive).size() == static_cast<std::size_t>(count));
        check_with_others(archive);
    }
}

TEST_CASE("a file of more than 4 GiB, and what lies behind it, needs ZIP64 and has it") {
    constexpr std::uint64_t kSize = (std::uint64_t{1} << 32U) + 5;
    const std::string zeros(std::size_t{1} << 20U, '\0');
    const TemporaryFolder folder;
    SparseBytes bytes;
    const auto sink = [&](std::string_view piece) -> Result<void> {
        if (piece == zeros) {
            bytes.append_zeros(piece.size());
        } else {
            bytes.append(piece);
        }
        return {};
    };
    std::uint64_t left = kSize;
    const PieceSource source = [&](std::string& piece) -> Result<void> {
        const std::uint64_t size = std::min<std::uint64_t>(left, zeros.size());
        piece.assign(zeros, 0, static_cast<std::size_t>(size));
        left -= size;
        return {};
    };
    auto writer = ZipWriter::open(sink, folder.path());
    REQUIRE(writer.has_value());
    REQUIRE(writer->add("large", source, false).has_value());
    REQUIRE(writer->add("behind", "bytes").has_value());
    REQUIRE(writer->finish().has_value());

    auto reader = ZipReader::open(bytes, kNoLimits);
    REQUIRE(reader.has_value());
    const auto large = reader->find("large").value().value();
    CHECK(large.size == kSize);
    CHECK(large.packed_size == kSize);
    const auto behind = reader->find("behind").value().value();
    CHECK(behind.offset > kSize);
    CHECK(reader->read_all(behind, 5).value() == "bytes");
    std::string piece;
    std::uint64_t size = 0;
    const PieceSource read = reader->read(large);
    do {
        REQUIRE(read(piece).has_value());
        size += piece.size();
    } while (!piece.empty());
    CHECK(size == kSize);

    const fs::path path = folder.path() / "large.zip";
    std::ofstream file(path, std::ios::binary);
    for (const auto& [offset, part] : bytes.parts())
        file.seekp(static_cast<std::streamoff>(offset)) << part;
    file.close();
    CHECK(
        takes("python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); "
              "sys.exit(z.read(\"behind\") != b\"bytes\" or z.getinfo(\"large\").file_size != " +
                  std::to_string(kSize) + ")'",
              path));
}

TEST_CASE("archives of others are read, streamed ones and old names as well") {
    const TemporaryFolder folder;
    const fs::path script = folder.path() / "write.py";
    // A file that cannot seek makes Python write descriptors.
    std::ofstream(script) << R"(
import sys, zipfile
class Stream:
    def __init__(self, file): self.file = file
    def write(self, data): return self.file.write(data)
    def flush(self): self.file.flush()
for name, out in (('seek', open(sys.argv[1] + '.seek', 'wb')), ('stream', Stream(open(sys.argv[1] + '.stream', 'wb')))):
    with zipfile.ZipFile(out, 'w') as z:
        z.writestr('folder/', b'')
        z.writestr('folder/\u00fc.txt', b'words ' * 1000, zipfile.ZIP_DEFLATED)
        z.writestr('stored', b'bytes')
        with z.open('large form', 'w', force_zip64=True) as f: f.write(b'large')
        z.comment = b'a comment'
    out.flush()
# Behind a program, which the offsets count.
with open(sys.argv[1] + '.program', 'wb') as out: out.write(b'#!/bin/sh\n')
with zipfile.ZipFile(sys.argv[1] + '.program', 'a') as z: z.writestr('stored', b'bytes')
)";
    const fs::path made = folder.path() / "made";
    REQUIRE(takes("python3 '" + script.string() + "'", made));
    std::string many_words;
    for (int i = 0; i < 1000; ++i)
        many_words += "words ";
    const std::map<std::string, std::string> content{{"folder/", ""},
                                                     {"folder/\xc3\xbc.txt", many_words},
                                                     {"stored", "bytes"},
                                                     {"large form", "large"}};
    const auto content_made = [&](const char* ending) {
        std::ifstream file(made.string() + ending, std::ios::binary);
        return content_of({std::istreambuf_iterator<char>(file), {}});
    };
    CHECK(content_made(".seek") == content);
    CHECK(content_made(".stream") == content);
    CHECK(content_made(".program") == std::map<std::string, std::string>{{"stored", "bytes"}});
    // IBM437, as archives began.
    CHECK(content_of(testing::raw_archive({{.name = "\x81\xe1\x9c.\xfe"}})) ==
          std::map<std::string, std::string>{
              {"\xc3\xbc\xc3\x9f\xc2\xa3.\xe2\x96\xa0", "some bytes"}});
}

TEST_CASE("a visit of entries ends where it wants, and with its failure") {
    MemoryBytes bytes(testing::raw_archive({{.name = "a"}, {.name = "b"}, {.name = "c"}}));
    auto reader = ZipReader::open(bytes, {});
    REQUIRE(reader.has_value());
    std::string seen;
    auto visited = reader->for_each([&](const ZipEntry& entry) -> Result<bool> {
        seen += entry.path;
        // Others may be asked for meanwhile.
        CHECK(reader->find("c").value().has_value());
        return entry.path != "b";
    });
    REQUIRE(visited.has_value());
    CHECK(seen == "ab");
    auto failed = reader->for_each([](const ZipEntry&) -> Result<bool> {
        return make_error(ErrorKind::internal, "test.failed", "as the test wants it");
    });
    CHECK(failed.error().code == "test.failed");
}

TEST_CASE("what keeps a writer from writing is told") {
    const auto drop = [](std::string_view) -> Result<void> { return {}; };
    CHECK(ZipWriter::open(drop, "/nonexistent/folder").error().code == "zip.disk_failed");
    const TemporaryFolder folder;
    auto refused = ZipWriter::open(
        [](std::string_view) -> Result<void> {
            return make_error(ErrorKind::internal, "test.failed", "as the test wants it");
        },
        folder.path());
    REQUIRE(refused.has_value());
    CHECK(refused->add("a", "b").error().code == "test.failed");
    auto writer = ZipWriter::open(drop, folder.path());
    REQUIRE(writer.has_value());
    const PieceSource broken = [](std::string&) -> Result<void> {
        return make_error(ErrorKind::internal, "test.failed", "as the test wants it");
    };
    CHECK(writer->add("a", broken, true).error().code == "test.failed");
}

TEST_CASE("a directory for which the disk has no room is told as such") {
    const TemporaryFolder folder;
    auto writer =
        ZipWriter::open([](std::string_view) -> Result<void> { return {}; }, folder.path());
    REQUIRE(writer.has_value());
    // A file that may not grow fails like one on a full disk.
    rlimit former{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &former) == 0);
    rlimit small = former;
    small.rlim_cur = 4096;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    Result<void> added;
    for (int i = 0; i < 2000 && added.has_value(); ++i)
        added = writer->add("a long name of an entry, whose number is " + std::to_string(i), "");
    ::setrlimit(RLIMIT_FSIZE, &former);
    std::signal(SIGXFSZ, handler);
    REQUIRE(!added.has_value());
    CHECK(added.error().kind == ErrorKind::storage_full);
    CHECK(added.error().code == "zip.disk_full");
}

TEST_CASE("mistakes of whoever writes an archive are logic errors") {
    const std::string bytes = written([](ZipWriter& writer) {
        for (const std::string path : {"", "/a", "../a", "a\\b", "a//b", "\xff"})
            CHECK_THROWS_AS(writer.add(path, "bytes"), std::logic_error);
        CHECK_THROWS_AS(writer.add("folder/", "bytes"), std::logic_error);
        const std::string text = "bytes";
        CHECK_THROWS_AS(writer.add("folder/", pieces_of(text, 1), true), std::logic_error);
    });
    CHECK(content_of(bytes).empty());
    const TemporaryFolder folder;
    auto writer =
        ZipWriter::open([](std::string_view) -> Result<void> { return {}; }, folder.path());
    REQUIRE(writer.has_value());
    REQUIRE(writer->finish().has_value());
    CHECK_THROWS_AS(writer->finish(), std::logic_error);
    CHECK_THROWS_AS(writer->add("a", "bytes"), std::logic_error);
}

}  // namespace stele::sdk
