// What an export tells of bounds that imports have and exports have not, and of files that cannot
// be read.
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>
#include <stele/sdk/zip.hpp>

#include "archive/archive_store.hpp"
#include "sdk/testing/memory_bytes.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "transfer/archive_files.hpp"
#include "transfer/archive_writer.hpp"

namespace stele::archives {

namespace {

struct Written {
    sdk::Result<void> added;
    std::string bytes;
    std::vector<std::string> refusals;
};

Written write(const std::vector<TransferRecord>& records,
              const sdk::ZipLimits& limits = kArchiveLimits) {
    const testing::TemporaryFolder folder;
    Written written;
    auto writer = ArchiveWriter::open(
        [&written](std::string_view piece) {
            written.bytes += piece;
            return sdk::Result<void>();
        },
        folder.path(), [](const sdk::JobProgress&) { return sdk::Result<void>(); });
    REQUIRE(writer.has_value());
    for (const TransferRecord& record : records) {
        written.added = writer->add(record);
        if (!written.added) return written;
    }
    REQUIRE(writer->finish({{"model", "3.0.0"}}).has_value());
    written.refusals = writer->refusals(limits);
    return written;
}

TransferRecord group(const std::string& id) {
    TransferRecord record;
    record.type = "principal";
    record.id = id;
    record.key = "group://p/default/" + id;
    record.location = "platforms/p/domains/default/principals/" + id;
    record.fields = {{"_doc", id}, {"name", "many"}};
    return record;
}

}  // namespace

TEST_CASE("an archive of usual records is refused by no import") {
    CHECK(write({group("one"), group("two")}).refusals.empty());
}

TEST_CASE("a list that is longer than imports read is told with its record") {
    TransferRecord record = group("many");
    record.members = sdk::Json::array();
    // Each is a line of its own and 1 MiB.
    for (std::size_t i = 0; i < (kMaxRecordBytes >> 20); ++i)
        record.members.push_back({{"name", std::string(std::size_t{1} << 20, 'n')}});
    const auto refusals = write({group("few"), record}).refusals;
    REQUIRE(refusals.size() == 1);
    CHECK(refusals.front().starts_with("members.json of group://p/default/many has "));
}

TEST_CASE("an archive that expands beyond the bound of imports is told, and no other") {
    TransferRecord record = group("long");
    record.fields["text"] = std::string(1'000'000, 'a');
    const sdk::ZipLimits limits{
        .entries = 100, .expansion = 20, .least_bytes = 100'000, .most_bytes = 10'000'000};
    for (const sdk::ZipLimits& tried :
         {limits, sdk::ZipLimits{.entries = 100, .expansion = 2000, .least_bytes = 100'000}}) {
        const Written written = write({record}, tried);
        sdk::testing::MemoryBytes bytes(written.bytes);
        const bool is_taken = sdk::ZipReader::open(bytes, tried).has_value();
        CHECK(written.refusals.empty() == is_taken);
        CHECK(is_taken == (tried.expansion == 2000));
    }
}

TEST_CASE("what cannot be read is told with its file and its record") {
    const sdk::Error none = sdk::make_error(sdk::ErrorKind::not_found, "blob.unknown", "none");
    for (const bool is_at_once : {true, false}) {
        TransferRecord record = group("with");
        sdk::ContentItem::File file;
        file.attachment.id = "a";
        file.attachment.file_name = "a.txt";
        file.open = [&]() -> sdk::Result<sdk::PieceSource> {
            if (is_at_once) return none;
            return sdk::PieceSource([&none](std::string&) -> sdk::Result<void> { return none; });
        };
        record.files.push_back(file);
        const auto added = write({record}).added;
        REQUIRE(added.has_error());
        CHECK(added.error().code == "blob.unknown");
        CHECK(added.error().message == "attachments/a.txt of group://p/default/with: none");
    }
}

}  // namespace stele::archives
