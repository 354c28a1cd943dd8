// Binaries in the database: what one server stores, the others read, and nothing is removed that
// somebody is about to refer to.
#include <thread>

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

/// A schema, what is in its tables, and functions that make statements slow or let them fail.
class Tables {
public:
    explicit Tables(const storage_postgres::Options& options) : schema_(options.schema) {}

    /// `#` stands for the schema and a dot.
    std::string query(std::string sql) const {
        for (std::size_t at = sql.find('#'); at != std::string::npos; at = sql.find('#', at))
            sql.replace(at, 1, schema_ + ".");
        return PrivatePostgres::instance().query(sql);
    }
    std::string count(const std::string& table) const {
        return query("select count(*) from #" + table);
    }
    bool shows(const std::string& sql, const std::string& wanted) const {
        for (int i = 0; i < 1000; ++i) {
            if (query(sql) == wanted) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        return false;
    }
    void add_trigger(const std::string& when, const std::string& body) const {
        query("create function #act() returns trigger language plpgsql as $$ begin " + body +
              " end $$; create " + when + " for each row execute function #act()");
    }

private:
    const std::string schema_;
};

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

TEST_CASE("bytes are there or unnamed when the commit that names them outlasts its writer") {
    auto options = PrivatePostgres::instance().empty_store();
    options.wait = std::chrono::seconds(1);
    SharedBinaries one(options);
    const Tables tables(options);
    tables.add_trigger(
        "constraint trigger stall after insert on #stele_blob deferrable initially deferred",
        "perform pg_sleep(1.5); return null;");
    const std::string bytes = some_bytes(600'000);
    {
        const auto writer = one.blobs->create().value();
        REQUIRE(writer->write(bytes).has_value());
        const auto finished = writer->finish();
        REQUIRE(finished.has_error());
        CHECK(finished.error().kind == sdk::ErrorKind::unavailable);
    }
    REQUIRE(tables.shows("select count(*) from #stele_blob", "1"));
    const std::string name = hexadecimal_of(sdk::token_digest(bytes));
    CHECK(tables.count("stele_blob_piece") == "3");
    CHECK(one.add(bytes) == name);
    CHECK(one.read(name, 0, 600'000) == bytes);
    CHECK(tables.shows("select count(*) from #stele_upload", "0"));
    CHECK(tables.count("stele_blob_piece") == "3");
}

TEST_CASE("bytes of which pieces are gone are whole again when they are stored again") {
    auto options = PrivatePostgres::instance().empty_store();
    options.tidying = std::chrono::milliseconds(100);
    SharedBinaries one(options);
    const Tables tables(options);
    const std::string bytes = some_bytes(600'000);
    const std::string name = one.add(bytes);
    for (const std::string lost : {"number = 1", "number >= 0"}) {
        tables.query("delete from #stele_blob_piece where " + lost);
        CHECK(one.add(bytes) == name);
        CHECK(one.read(name, 0, 600'000) == bytes);
        CHECK(tables.shows("select count(*) from #stele_upload", "0"));
        CHECK(tables.count("stele_blob_piece") == "3");
    }
    CHECK(one.names() == std::vector<std::string>{name});
}

TEST_CASE("an upload lives as long as pieces come, and takes none after it was given up") {
    auto options = PrivatePostgres::instance().empty_store();
    options.tidying = std::chrono::milliseconds(100);
    SharedBinaries one(options);
    const Tables tables(options);
    const auto writer = one.blobs->create().value();
    REQUIRE(writer->write(some_bytes(300'000)).has_value());
    tables.query("update #stele_upload set begun = now() - interval '23 hours'");
    REQUIRE(writer->write(some_bytes(300'000)).has_value());
    CHECK(tables.query("select count(*) from #stele_upload where begun > now() - "
                       "interval '1 hour'") == "1");
    tables.query("update #stele_upload set begun = now() - interval '25 hours'");
    CHECK(tables.shows("select count(*) from #stele_upload", "0"));
    CHECK(tables.count("stele_blob_piece") == "0");
    const auto late = writer->write(some_bytes(300'000));
    REQUIRE(late.has_error());
    CHECK(late.error().kind == sdk::ErrorKind::unavailable);
    CHECK(tables.count("stele_blob_piece") == "0");
}

TEST_CASE("binaries and uploads whose pieces take longer to delete than a statement may go, too") {
    auto options = PrivatePostgres::instance().empty_store();
    options.wait = std::chrono::seconds(1);
    options.tidying = std::chrono::milliseconds(100);
    SharedBinaries one(options);
    const Tables tables(options);
    tables.query(
        "insert into #stele_blob (name, pieces, size) values ('large', 'blob', 300);"
        "insert into #stele_upload values ('upload', now() - interval '2 days');"
        "insert into #stele_blob_piece select i, n, '.' from generate_series(0, 299) n,"
        " unnest(array['blob', 'upload']::bytea[]) i;");
    const std::string kept = one.add("kept");
    tables.add_trigger("trigger slow before delete on #stele_blob_piece",
                       "perform pg_sleep(0.005); return old;");
    CHECK(one.blobs->remove_before("large", sdk::now_ms() + 60'000).value() == 300);
    CHECK_FALSE(one.blobs->exists("large").value());
    CHECK(one.names() == std::vector<std::string>{kept});
    CHECK(tables.shows("select count(*) from #stele_upload", "0"));
    CHECK(tables.count("stele_blob_piece") == "1");
    CHECK(one.read(kept, 0, 10) == "kept");
}

TEST_CASE("pieces that cannot be deleted keep neither blobs nor the log") {
    auto options = PrivatePostgres::instance().empty_store();
    options.tidying = std::chrono::milliseconds(100);
    SharedBinaries one(options);
    const Tables tables(options);
    const std::string name = one.add("some bytes");
    tables.add_trigger("trigger refuse before delete on #stele_blob_piece",
                       "raise exception 'refused';");
    tables.query(
        "insert into #stele_upload values ('old', now() - interval '2 days');"
        "insert into #stele_blob_piece values ('old', 0, '.');"
        "insert into #stele_log (version, batch, at, keys)"
        " values (-1, '', now() - interval '1 day', '');");
    CHECK(one.blobs->remove_before(name, sdk::now_ms() + 60'000).value() == 10);
    CHECK_FALSE(one.blobs->exists(name).value());
    CHECK(tables.shows("select count(*) from #stele_log where version = -1", "0"));
    tables.query("drop trigger refuse on #stele_blob_piece");
    CHECK(tables.shows("select count(*) from #stele_upload", "0"));
    CHECK(tables.count("stele_blob_piece") == "0");
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
