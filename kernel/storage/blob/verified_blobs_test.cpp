#include "kernel/storage/blob/verified_blobs.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include <stele/sdk/file_reader.hpp>

#include "kernel/storage/blob/blob_directory.hpp"
#include "sdk/testing/temporary_folder.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kReadPiece = 1000;

/// A folder of blobs behind the verification.
struct VerifiedFolder {
    explicit VerifiedFolder(std::uint64_t rate) { verification.set_rate(rate); }

    testing::TemporaryFolder folder;
    BlobVerification verification;
    DamageNotes damage;
    std::unique_ptr<sdk::BlobStore> blobs =
        verify_blobs(open_blob_directory(folder.path(), 0).value(), "fs", verification, damage);

    std::string add(const std::string& bytes) {
        const auto writer = blobs->create().value();
        REQUIRE(writer->write(bytes).has_value());
        return writer->finish().value();
    }
    std::filesystem::path file(const std::string& name) const {
        return folder.path() / name.substr(0, 2) / name;
    }
    /// As if it had been written long ago: a write from now on shows.
    void age(const std::string& name) const {
        std::filesystem::last_write_time(
            file(name), std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    }
    std::unique_ptr<sdk::FileReader> open_file(const std::string& name, bool may_wait = true) {
        auto& files = dynamic_cast<sdk::FileBlobs&>(*blobs);
        return files.open_file(name, may_wait).value();
    }
    /// Another byte at the end.
    void change(const std::string& name) const {
        std::fstream stream(file(name), std::ios::in | std::ios::out | std::ios::binary);
        stream.seekp(-1, std::ios::end);
        stream.put('!');
    }
    /// What a download hands out before it ends or fails.
    std::string read_all(const std::string& name, std::string& code) {
        const auto reader = blobs->open(name).value();
        std::string all;
        std::string piece;
        while (all.size() < reader->size()) {
            const auto read = reader->read(all.size(), kReadPiece, piece);
            if (!read) {
                code = read.error().code;
                return all;
            }
            all += piece;
        }
        return all;
    }
    std::string code_of_part(const std::string& name) {
        const auto reader = blobs->open(name).value();
        std::string piece;
        const auto read = reader->read(500, 10, piece);
        return read ? "" : read.error().code;
    }
};

/// How a download would go out: `yes`, `no`, or the code of why it fails.
std::string sendable(sdk::FileReader& reader, std::uint64_t first, bool may_wait) {
    const auto found = reader.is_sendable(first, reader.size(), may_wait);
    if (!found) return found.error().code;
    return *found ? "yes" : "no";
}

}  // namespace

TEST_CASE("sound binaries of any size are read as they are") {
    VerifiedFolder folder(0);
    for (const std::size_t size : {0, 1, 999, 1000, 1001, 5000}) {
        INFO(size);
        const std::string bytes(size, 'b');
        std::string code;
        CHECK(folder.read_all(folder.add(bytes), code) == bytes);
        CHECK(code.empty());
    }
    CHECK(folder.damage.status().has_value());
}

TEST_CASE("a changed binary is never handed out as a whole, and is noted with its name") {
    VerifiedFolder folder(0);
    const std::string small = folder.add(std::string(700, 's'));
    const std::string large = folder.add(std::string(4500, 'l'));
    std::string code;
    // Being found sound once changes nothing for those who read all of it.
    folder.read_all(large, code);
    REQUIRE(code.empty());
    folder.change(small);
    folder.change(large);
    CHECK(folder.read_all(small, code).empty());
    CHECK(code == "store.damaged");
    code.clear();
    CHECK(folder.read_all(large, code) == std::string(4000, 'l'));
    CHECK(code == "store.damaged");
    REQUIRE(folder.damage.status().has_error());
    CHECK(folder.damage.status().error().message.find("the binary fs/" + small) !=
          std::string::npos);
}

TEST_CASE("a shortened binary is damage") {
    VerifiedFolder folder(0);
    const std::string name = folder.add(std::string(4500, 'l'));
    std::filesystem::resize_file(folder.file(name), 4000);
    std::string code;
    folder.read_all(name, code);
    CHECK(code == "store.damaged");
}

TEST_CASE("parts are verified as the rate allows") {
    VerifiedFolder never(0);
    const std::string unseen = never.add(std::string(4500, 'l'));
    never.change(unseen);
    CHECK(never.code_of_part(unseen).empty());

    VerifiedFolder folder(5000);
    const std::string beyond = folder.add(std::string(5001, 'l'));
    folder.change(beyond);
    CHECK(folder.code_of_part(beyond).empty());
    const std::string within = folder.add(std::string(5000, 'l'));
    folder.change(within);
    CHECK(folder.code_of_part(within) == "store.damaged");
}

TEST_CASE("what was found sound is not verified again for its next part") {
    VerifiedFolder folder(5000);
    const std::string name = folder.add(std::string(4500, 'l'));
    CHECK(folder.code_of_part(name).empty());
    folder.change(name);
    CHECK(folder.code_of_part(name).empty());
}

TEST_CASE("a file is sent as it is once it was verified, until somebody writes to it") {
    VerifiedFolder folder(10'000);
    const std::string name = folder.add(std::string(4500, 'l'));
    folder.age(name);
    // Nobody looks at bytes on a thread that may not wait.
    CHECK(folder.open_file(name, false) == nullptr);
    const auto first = folder.open_file(name);
    CHECK(sendable(*first, 0, false) == "no");
    CHECK(sendable(*first, 0, true) == "yes");
    const auto second = folder.open_file(name, false);
    REQUIRE(second != nullptr);
    CHECK(sendable(*second, 0, false) == "yes");
    CHECK(second->is_unchanged());
    folder.change(name);
    CHECK_FALSE(second->is_unchanged());
    CHECK(sendable(*second, 0, false) == "no");
    CHECK(sendable(*second, 0, true) == "store.damaged");
    CHECK(sendable(*folder.open_file(name), 0, true) == "store.damaged");
    CHECK(folder.damage.status().has_error());
}

TEST_CASE("a file that was read as a whole and found sound is sent the next time") {
    VerifiedFolder folder(0);
    const std::string name = folder.add(std::string(4500, 'l'));
    folder.age(name);
    // Nothing is verified before its first byte.
    CHECK(sendable(*folder.open_file(name), 0, true) == "no");
    std::string code;
    folder.read_all(name, code);
    CHECK(sendable(*folder.open_file(name, false), 0, false) == "yes");
}

TEST_CASE("a file that was just written is verified for each of its readers") {
    VerifiedFolder folder(10'000);
    const std::string name = folder.add(std::string(4500, 'l'));
    // Its time may be that of a write to come.
    std::filesystem::last_write_time(
        folder.file(name), std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
    CHECK(sendable(*folder.open_file(name), 0, true) == "yes");
    CHECK(folder.open_file(name, false) == nullptr);
    CHECK(sendable(*folder.open_file(name), 0, false) == "no");
}

TEST_CASE("a shortened file is damage for whoever would send it") {
    VerifiedFolder folder(10'000);
    const std::string name = folder.add(std::string(4500, 'l'));
    const auto reader = folder.open_file(name);
    REQUIRE(sendable(*reader, 0, true) == "yes");
    std::filesystem::resize_file(folder.file(name), 4000);
    CHECK_FALSE(reader->is_unchanged());
    CHECK(sendable(*reader, 0, true) == "store.damaged");
    CHECK(folder.damage.status().has_error());
    // It was found sound a moment ago, and what is asked for is no longer all of it.
    const auto cut = folder.open_file(name)->is_sendable(0, 4500, true);
    REQUIRE(cut.has_error());
    CHECK(cut.error().code == "store.damaged");
}

TEST_CASE("parts of a file are sent as they are read: verified as the rate allows") {
    VerifiedFolder folder(5000);
    const std::string beyond = folder.add(std::string(5001, 'l'));
    folder.change(beyond);
    CHECK(sendable(*folder.open_file(beyond), 10, true) == "yes");
    const std::string within = folder.add(std::string(5000, 'l'));
    folder.change(within);
    CHECK(sendable(*folder.open_file(within), 10, true) == "store.damaged");
}

}  // namespace stele::kernel::storage
