#include "kernel/http/message/upload_spool.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include <catch2/catch.hpp>

#include <stele/sdk/placed_upload.hpp>

#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::http {

namespace {

namespace fs = std::filesystem;

std::string upload_text(std::size_t size) {
    std::string text;
    for (std::size_t i = 0; text.size() < size; ++i)
        text += std::to_string(i) + ' ';
    text.resize(size);
    return text;
}

std::string read_all(const std::shared_ptr<const UploadSpool>& spool) {
    const auto upload = open_upload(spool);
    std::string text;
    std::string piece;
    do {
        REQUIRE(upload->read(piece).has_value());
        REQUIRE(piece.size() <= 64 * 1024);
        text += piece;
    } while (!piece.empty());
    return text;
}

/// Files of the process may not grow beyond a size.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &former_);
        const rlimit limited{bytes, former_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limited);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &former_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit former_{};
    void (*handler_)(int);
};

}  // namespace

TEST_CASE("a spool gives back what went in, and keeps 64 KiB of it in memory") {
    const testing::TemporaryFolder folder;
    for (const std::size_t size : {0, 1, 65'535, 65'536, 65'537, 400'000}) {
        const std::string text = upload_text(size);
        for (const std::size_t piece : {1'000, 65'536, 100'000}) {
            INFO(size << " in pieces of " << piece);
            const auto spool = std::make_shared<UploadSpool>(folder.path(), 0);
            for (std::size_t at = 0; at < size; at += piece) {
                const std::string_view next = std::string_view(text).substr(at, piece);
                CHECK(spool->needs_disk(next.size()) == (at + next.size() > 65'536));
                REQUIRE(spool->append(next).has_value());
                REQUIRE(spool->memory_size() <= 65'536);
            }
            CHECK(spool->size() == size);
            CHECK(read_all(spool) == text);
            CHECK(read_all(spool) == text);
            CHECK(fs::is_empty(folder.path()));
        }
    }
}

TEST_CASE("an upload is read at any place, whatever was read before") {
    const testing::TemporaryFolder folder;
    const std::string text = upload_text(200'000);
    const auto spool = std::make_shared<UploadSpool>(folder.path(), 0);
    REQUIRE(spool->append(text).has_value());
    const auto upload = open_upload(spool);
    auto* const placed = dynamic_cast<sdk::PlacedUpload*>(upload.get());
    REQUIRE(placed);
    CHECK(placed->size() == text.size());
    std::string piece;
    REQUIRE(upload->read(piece).has_value());
    const std::size_t was_read = piece.size();
    // Over the end of what is in memory, and over what is read at a time.
    sdk::UploadBytes part(*placed, 1'000, 150'000);
    CHECK(part.size() == 150'000);
    for (const std::size_t offset : {0, 64'000, 64'536, 70'000, 149'999, 150'000, 180'000}) {
        for (const std::size_t limit : {0, 1, 10, 65'537, 200'000}) {
            INFO(limit << " from " << offset);
            REQUIRE(part.read(offset, limit, piece).has_value());
            const std::string_view all = std::string_view(text).substr(1'000, 150'000);
            CHECK((piece == all.substr(std::min(offset, all.size()), limit)));
        }
    }
    std::string pieces;
    const sdk::PieceSource read = sdk::pieces_of(part);
    do {
        REQUIRE(read(piece).has_value());
        pieces += piece;
    } while (!piece.empty());
    CHECK((pieces == text.substr(1'000, 150'000)));
    REQUIRE(upload->read(piece).has_value());
    CHECK((text.substr(was_read, piece.size()) == piece));
}

TEST_CASE("what would take the reserve of the disk is refused as a full disk") {
    const testing::TemporaryFolder folder;
    UploadSpool spool(folder.path(), std::uint64_t{1} << 60);
    CHECK(spool.append(std::string(65'536, 'x')).has_value());
    const auto refused = spool.append("x");
    REQUIRE(refused.has_error());
    CHECK(refused.error().kind == sdk::ErrorKind::storage_full);
    CHECK(refused.error().code == "http.upload_disk_full");
}

TEST_CASE("a disk that takes no more is told from one that fails") {
    const testing::TemporaryFolder folder;
    {
        const FileSizeLimit limit(100'000);
        UploadSpool spool(folder.path(), 0);
        const auto full = spool.append(std::string(200'000, 'x'));
        REQUIRE(full.has_error());
        CHECK(full.error().code == "http.upload_disk_full");
    }
    UploadSpool nowhere(folder.path() / "absent", 0);
    const auto failed = nowhere.append(std::string(65'537, 'x'));
    REQUIRE(failed.has_error());
    CHECK(failed.error().code == "http.upload_disk_failed");
}

TEST_CASE("the folder for uploads is made, and emptied of files") {
    const testing::TemporaryFolder folder;
    const fs::path uploads = folder.path() / "a" / "uploads";
    REQUIRE(prepare_upload_folder(uploads).has_value());
    std::ofstream(uploads / "upload.1") << "left";
    std::ofstream(uploads / "upload.2") << "left";
    REQUIRE(prepare_upload_folder(uploads).has_value());
    CHECK(fs::is_empty(uploads));
    std::ofstream(folder.path() / "file") << "in the way";
    const auto refused = prepare_upload_folder(folder.path() / "file");
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == "http.upload_folder_unusable");
}

}  // namespace stele::kernel::http
