// Binaries in the database: what one server stores, the others read, and nothing is removed that
// somebody is about to refer to.
#include <catch2/catch.hpp>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/engine_binaries.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "plugins/storage_postgres/postgres_engine.hpp"
#include "tests/postgres/private_postgres.hpp"

namespace stele::testing {

namespace {

struct SharedBinaries {
    explicit SharedBinaries(const storage_postgres::Options& options) {
        auto opened = storage_postgres::open_postgres(options);
        if (!opened) FAIL(opened.error().message << " " << opened.error().detail);
        engine = *std::move(opened);
        auto* const keeping = engine->binaries();
        REQUIRE(keeping != nullptr);
        blobs = keeping->open_binaries();
    }

    std::string add(const std::string& bytes, std::size_t piece = 100'000) {
        const auto writer = blobs->create().value();
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            REQUIRE(writer->write(std::string_view(bytes).substr(at, piece)).has_value());
        return writer->finish().value();
    }
    std::string read(const std::string& name, std::uint64_t offset, std::size_t limit) {
        std::string bytes;
        const auto reader = blobs->open(name).value();
        REQUIRE(reader->read(offset, limit, bytes).has_value());
        return bytes;
    }
    std::vector<std::string> names() {
        std::vector<std::string> found;
        REQUIRE(
            blobs->for_each([&](std::string_view name) { found.emplace_back(name); }).has_value());
        return found;
    }

    std::unique_ptr<sdk::Engine> engine;
    std::unique_ptr<sdk::BlobStore> blobs;
};

std::string some_bytes(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<char>(i * 131 + i / 256);
    return bytes;
}

std::string hexadecimal_of(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
        constexpr char kDigits[] = "0123456789abcdef";
        text += kDigits[static_cast<unsigned char>(c) >> 4];
        text += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return text;
}

}  // namespace

TEST_CASE("what one server stores another reads, as a whole and in parts of any place and size") {
    const auto options = PrivatePostgres::instance().empty_store();
    SharedBinaries one(options);
    SharedBinaries other(options);
    constexpr std::size_t kPiece = std::size_t{256} * 1024;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kPiece - 1, kPiece, kPiece + 1,
                                   3 * kPiece, std::size_t{1'000'000}}) {
        INFO(size);
        const std::string bytes = some_bytes(size);
        const std::string name = one.add(bytes);
        CHECK(name == hexadecimal_of(sdk::token_digest(bytes)));
        CHECK(other.blobs->exists(name).value());
        CHECK(other.blobs->open(name).value()->size() == size);
        CHECK(other.read(name, 0, size + 10) == bytes);
        for (const std::size_t offset : {std::size_t{0}, size / 3, kPiece - 2, kPiece, size})
            CHECK(other.read(name, offset, 300'000) ==
                  (offset < size ? bytes.substr(offset, 300'000) : std::string()));
    }
    CHECK(one.names() == other.names());
    CHECK(one.names().size() == 7);
}

TEST_CASE("equal bytes are kept once, and what was not finished is not there") {
    const auto options = PrivatePostgres::instance().empty_store();
    const auto count = [&](const std::string& table) {
        return PrivatePostgres::instance().query("select count(*) from " + options.schema + "." +
                                                 table);
    };
    SharedBinaries one(options);
    SharedBinaries other(options);
    const std::string bytes = some_bytes(600'000);
    const std::string name = one.add(bytes);
    CHECK(other.add(bytes, 7'777) == name);
    CHECK(count("stele_blob_piece") == "3");
    {
        const auto writer = one.blobs->create().value();
        REQUIRE(writer->write(some_bytes(500'000)).has_value());
        CHECK(count("stele_blob_piece") == "4");
        CHECK(other.names() == std::vector<std::string>{name});
    }
    CHECK(count("stele_blob_piece") == "3");
    CHECK(count("stele_upload") == "0");
    CHECK(other.read(name, 0, 600'000) == bytes);
}

TEST_CASE("unused bytes are removed unless somebody has written them again") {
    const auto options = PrivatePostgres::instance().empty_store();
    SharedBinaries one(options);
    SharedBinaries other(options);
    const std::string name = one.add("some bytes");
    const auto age = [&] {
        PrivatePostgres::instance().query("update " + options.schema +
                                          ".stele_blob set written = now() - interval '2 hours' "
                                          "returning 1");
    };
    const std::int64_t hour_ago = sdk::now_ms() - 3'600'000;
    const auto old = [&] {
        std::size_t found = 0;
        REQUIRE(
            one.blobs->for_each_before(hour_ago, [&](std::string_view) { ++found; }).has_value());
        return found;
    };
    CHECK(old() == 0);
    CHECK(one.blobs->remove_before(name, hour_ago).value() == std::nullopt);
    age();
    CHECK(old() == 1);
    CHECK(other.add("some bytes") == name);
    CHECK(one.blobs->remove_before(name, hour_ago).value() == std::nullopt);
    CHECK(one.read(name, 0, 100) == "some bytes");
    age();
    CHECK(one.blobs->remove_before(name, hour_ago).value() == 10);
    CHECK_FALSE(other.blobs->exists(name).value());
    CHECK(other.blobs->open(name).error().code == "blob.unknown");
    CHECK(PrivatePostgres::instance().query("select count(*) from " + options.schema +
                                            ".stele_blob_piece") == "0");
    REQUIRE(one.blobs->remove(other.add("more")).has_value());
    CHECK(other.names().empty());
}

TEST_CASE("a piece that is gone is told, and nothing is made up in its place") {
    const auto options = PrivatePostgres::instance().empty_store();
    SharedBinaries one(options);
    const std::string name = one.add(some_bytes(600'000));
    PrivatePostgres::instance().query("delete from " + options.schema +
                                      ".stele_blob_piece where number = 1 returning 1");
    const auto reader = one.blobs->open(name).value();
    std::string bytes;
    CHECK(reader->read(0, 1000, bytes).has_value());
    const auto read = reader->read(300'000, 1000, bytes);
    REQUIRE(read.has_error());
    CHECK(read.error().code == "blob.damaged");
}

TEST_CASE("a store of an earlier version gets a place for binaries") {
    const auto options = PrivatePostgres::instance().empty_store();
    { SharedBinaries one(options); }
    PrivatePostgres::instance().query("drop table " + options.schema + ".stele_blob, " +
                                      options.schema + ".stele_blob_piece, " + options.schema +
                                      ".stele_upload; select 1");
    SharedBinaries again(options);
    CHECK(again.read(again.add("bytes"), 0, 10) == "bytes");
}

}  // namespace stele::testing
