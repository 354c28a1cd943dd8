#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "transfer/import_run.hpp"
#include "transfer/record_parts.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr const char* kCoordinates[] = {"group", "artifact", "version"};

}  // namespace

sdk::Result<std::optional<sdk::RecordKey>> ImportRun::find_archive(
    const TransferRecord& record, const sdk::RecordKey& vault) const {
    sdk::Json condition = sdk::Json::object();
    for (const char* name : kCoordinates)
        condition[name] = sdk::text_member(record.fields, name);
    sdk::PageRequest first;
    first.limit = 1;
    auto found = context_.documents().query({kArchiveType, {}, vault}, condition, first);
    if (!found) return found.error();
    return found->rows.empty() ? std::optional<sdk::RecordKey>()
                               : std::optional<sdk::RecordKey>(found->rows.front().key);
}

/// An archive is made by an upload, under its coordinates.
sdk::Result<sdk::RecordKey> ImportRun::upload_archive(const TransferRecord& record,
                                                      const sdk::RecordKey& vault) {
    if (!record.zip) {
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.zip_missing",
                               "the zip of the archive is not there");
    }
    sdk::InnerOperation upload{
        .method = "POST", .bytes = record.zip->open, .content_type = kArchiveContentType};
    for (const char* name : {"group", "artifact", "version", "type", "title", "description"}) {
        const std::string text = sdk::text_member(record.fields, name);
        if (!text.empty()) upload.parameters.emplace_back(name, text);
    }
    const bool is_published = sdk::flag_member(record.fields, "published", false);
    upload.parameters.emplace_back("published", is_published ? "true" : "false");
    auto made = json_of(services_.operations.on_collection(context_, kArchiveType, vault, upload));
    if (!made) return made.error();
    auto key =
        context_.documents().read({kArchiveType, {}, vault}, sdk::text_member(*made, "_doc"));
    if (!key) return key.error();
    return key->key;
}

sdk::Result<sdk::RecordKey> ImportRun::create_archive(const TransferRecord& record,
                                                      const sdk::RecordKey& vault) {
    auto made = upload_archive(record, vault);
    if (!made) return made;
    const std::uint64_t updated = outcome_.updated;
    const std::uint64_t skipped = outcome_.skipped;
    if (auto completed = update(record, *made); !completed) return completed.error();
    outcome_.updated = updated;
    outcome_.skipped = skipped;
    return made;
}

sdk::Result<bool> ImportRun::has_zip(const TransferRecord& record,
                                     const sdk::RecordKey& present) const {
    auto here = pieces_of(services_.operations.on_record(context_, present, {.path = "/download"}));
    if (!here) return here.error();
    auto coming = record.zip->open();
    if (!coming) return coming.error();
    return are_same_bytes(*here, *coming);
}

sdk::Result<void> ImportRun::update_archive(const TransferRecord& record,
                                            const sdk::RecordKey& present) {
    auto is_same = record.zip ? has_zip(record, present) : sdk::Result<bool>(true);
    if (!is_same) return is_same.error();
    const std::uint64_t updated = outcome_.updated;
    const std::uint64_t skipped = outcome_.skipped;
    // What has come to lie elsewhere goes back first: the upload takes its place by these.
    if (auto done = update(record, present); !done || *is_same) return done;
    auto vault = services_.families.container_of(context_, present);
    if (!vault) return vault.error();
    auto uploaded = upload_archive(record, **vault);
    if (!uploaded) return uploaded.error();
    if (auto done = update(record, present); !done) return done;
    outcome_.updated = updated + 1;
    outcome_.skipped = skipped;
    return {};
}

}  // namespace stele::archives
