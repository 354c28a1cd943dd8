// Which items an archive holds, in which order, and which of its files are read for them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include <stele/sdk/zip.hpp>

#include "sdk/testing/memory_bytes.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "transfer/archive_content.hpp"
#include "transfer/archive_manifest.hpp"

namespace stele::archives {

namespace {

constexpr char kFolder[] = "platforms/p/repositories/r/changesets/1_a";
constexpr char kLater[] = "platforms/p/repositories/r/changesets/2_b";

struct Record {
    std::string path;
    std::string text;
};

std::string zip_of(const std::vector<Record>& records) {
    const testing::TemporaryFolder folder;
    std::string bytes;
    auto writer = sdk::ZipWriter::open(
        [&bytes](std::string_view piece) {
            bytes += piece;
            return sdk::Result<void>();
        },
        folder.path());
    REQUIRE(writer.has_value());
    for (const auto& [path, text] : records)
        REQUIRE(writer->add(path, text).has_value());
    REQUIRE(writer->finish().has_value());
    return bytes;
}

/// Walks the content of an archive of these files.
class Walked {
public:
    explicit Walked(const std::vector<Record>& records) : bytes_(zip_of(records)) {
        auto zip = sdk::ZipReader::open(bytes_, {});
        REQUIRE(zip.has_value());
        zip_.push_back(std::move(*zip));
        files_.add(zip_.front());
    }

    sdk::Result<std::vector<std::string>> ids(const sdk::ContentSource::IsWanted& is_wanted) {
        PathList folders({});
        for (const char* folder : {kFolder, kLater})
            REQUIRE(folders.add(folder).has_value());
        auto content = ArchiveContent::open(files_, attachments_, std::move(folders),
                                            [] { return sdk::Result<void>(); });
        if (!content) return content.error();
        std::vector<std::string> found;
        auto walked = content->for_each_wanted(is_wanted, [&](const sdk::ContentItem& item) {
            found.push_back(item.id);
            return sdk::Result<void>();
        });
        if (!walked) return walked.error();
        return found;
    }

private:
    sdk::testing::MemoryBytes bytes_;
    std::vector<sdk::ZipReader> zip_;
    ArchiveFiles files_;
    PathsByFolder attachments_{{}};
};

Record node(const std::string& id, const std::string& says, const char* folder = kFolder) {
    return {std::string(folder) + "/nodes/" + id + "/node.json",
            R"({"_doc":")" + id + R"(",)" + says + "}"};
}

bool all(std::uint64_t) {
    return true;
}

}  // namespace

TEST_CASE("definitions come before nodes and these before associations, however they are written") {
    Walked archive({node("plain", R"("_type":"n:node")"),
                    {std::string(kFolder) + "/nodes/link/association.json",
                     R"({"_doc":"link","_type":"d:linked","source":"plain","target":"plain"})"},
                    node("type", R"("_type":"d:type")"),
                    node("spaced", R"("_type" : "d:feature")"),
                    node("numbered", R"("\u005ftype":"\u0064:type")"),
                    node("speaks", R"("title":"of \"d:\" and \"deleted\"")")});
    const auto ids = archive.ids(all);
    REQUIRE(ids.has_value());
    CHECK(*ids ==
          std::vector<std::string>{"type", "spaced", "numbered", "plain", "speaks", "link"});
}

TEST_CASE("what says that it was removed does not come, however that is written") {
    Walked archive({node("gone", R"("_system":{"deleted":true})"),
                    node("numbered", R"("_system":{"del\u0065ted":true})"),
                    node("there", R"("_system":{"deleted":false})"), node("back", R"("a":1)"),
                    node("back", R"("_system": { "deleted" : true })", kLater)});
    const auto ids = archive.ids(all);
    REQUIRE(ids.has_value());
    CHECK(*ids == std::vector<std::string>{"there"});
}

TEST_CASE("a file is read only where its item is wanted") {
    Walked archive({node("one", R"("a":1)"), node("broken", R"("a":)"), node("three", R"("a":3)")});
    const auto ids = archive.ids([](std::uint64_t position) { return position != 1; });
    REQUIRE(ids.has_value());
    CHECK(*ids == std::vector<std::string>{"one", "three"});
    const auto whole = archive.ids(all);
    REQUIRE_FALSE(whole.has_value());
    CHECK(whole.error().code == "archives.record_malformed");
}

TEST_CASE("records are sorted no longer than somebody waits for it") {
    sdk::testing::MemoryBytes bytes(
        zip_of({{std::string(kFolder) + "/nodes/a/node.json", R"({"_doc":"a"})"},
                {std::string(kFolder) + "/nodes/b/node.json", R"({"_doc":"b"})"}}));
    const auto zip = sdk::ZipReader::open(bytes, {});
    REQUIRE(zip.has_value());
    ArchiveFiles files;
    files.add(*zip);
    const PathsByFolder attachments{{}};
    // Two for the files, two for the records.
    for (const int most : {2, 3, 4}) {
        PathList folders({});
        REQUIRE(folders.add(kFolder).has_value());
        int steps = 0;
        const Step step = [&]() -> sdk::Result<void> {
            if (++steps <= most) return {};
            return sdk::make_error(sdk::ErrorKind::unavailable, "job.stopped", "it was stopped");
        };
        const auto content = ArchiveContent::open(files, attachments, std::move(folders), step);
        CHECK(content.has_value() == (most == 4));
        CHECK(steps == std::min(most + 1, 4));
    }
}

TEST_CASE("an archive is looked through no longer than somebody waits for it") {
    sdk::testing::MemoryBytes bytes(
        zip_of({{"manifest.json", R"({"contents":{}})"}, {"one", "1"}, {"two", "2"}}));
    const auto zip = sdk::ZipReader::open(bytes, {});
    REQUIRE(zip.has_value());
    int steps = 0;
    const Step step = [&steps]() -> sdk::Result<void> {
        if (++steps < 2) return {};
        return sdk::make_error(sdk::ErrorKind::unavailable, "job.stopped", "it was stopped");
    };
    const auto verified = verify_manifest(*zip, step);
    REQUIRE(verified.has_error());
    CHECK(verified.error().code == "job.stopped");
    steps = 0;
    ArchiveFiles files({}, step);
    files.add(*zip);
    const auto walked = files.for_each([](const sdk::ZipEntry&) { return sdk::Result<void>(); });
    REQUIRE(walked.has_error());
    CHECK(walked.error().code == "job.stopped");
    CHECK(steps == 2);
}

}  // namespace stele::archives
