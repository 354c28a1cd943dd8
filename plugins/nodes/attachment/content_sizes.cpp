#include "attachment/content_sizes.hpp"

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/record_space.hpp>

#include "attachment/attachment_check.hpp"
#include "attachment/content_log.hpp"
#include "attachment/counted_bytes.hpp"
#include "attachment/store_files.hpp"
#include "version/layered_cursor.hpp"

namespace stele::nodes {

namespace {

sdk::Error version_broken(std::string_view key) {
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_version_broken",
                           "a version of a node cannot be read", std::string(key));
}

sdk::Result<std::int64_t> text_size(std::string_view stored, std::string_view key) {
    const auto record = sdk::StoredRecord::read(stored);
    if (!record) return version_broken(key);
    return static_cast<std::int64_t>(record->text.size());
}

/// Takes away what a view shows of a record.
sdk::Result<void> subtract_former(const ViewReader& view, std::string_view key,
                                  sdk::DataStoreSize& sum) {
    std::string stored;
    auto version = view.find_version(key, stored);
    if (!version) return version.error();
    if (!*version) return {};
    auto size = text_size(stored, key);
    if (!size) return size.error();
    --sum.objects;
    sum.bytes -= *size;
    return {};
}

/// What a changeset added to the records that were there before it.
sdk::Result<void> add_changeset(const sdk::Reader& reader, const VersionSpace& space, Line line,
                                Revision revision, sdk::DataStoreSize& sum) {
    auto view = find_view(reader, space, line, revision - 1);
    if (!view) return view.error();
    const ViewReader before(reader, space, std::move(*view));
    auto in_row = row_revision(reader, space, line, revision);
    if (!in_row) return in_row.error();
    std::string list = space.written(line);
    append_number(list, *in_row);
    const auto cursor = reader.scan({list, sdk::prefix_end(list)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const std::string_view key = cursor->key().substr(list.size());
        if (auto taken = subtract_former(before, key, sum); !taken) return taken;
        if (cursor->value() == std::string_view(&kRemoved, 1)) continue;
        auto stored = reader.get(space.record(key, line, *in_row));
        if (!stored) return stored.error();
        if (!*stored || (*stored)->empty()) return version_broken(key);
        auto size = text_size(std::string_view(**stored).substr(1), key);
        if (!size) return size.error();
        ++sum.objects;
        sum.bytes += *size;
    }
    return cursor->status();
}

sdk::Result<void> add_changesets(const sdk::Reader& reader, const VersionSpace& space,
                                 sdk::DataStoreSize& sum) {
    std::string lines = space.line_of(0);
    lines.resize(lines.size() - kNumberBytes);
    const auto cursor = reader.scan({lines, sdk::prefix_end(lines)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const Revision revision = read_number(cursor->key().substr(lines.size()));
        auto added = add_changeset(reader, space, read_number(cursor->value()), revision, sum);
        if (!added) return added;
    }
    return cursor->status();
}

}  // namespace

sdk::Result<std::optional<sdk::DataStoreSize>> ContentSizes::content_size(
    const sdk::Reader& reader, const sdk::RecordKey& store) {
    using Size = std::optional<sdk::DataStoreSize>;
    auto place = services_.branches.find_repository(reader, store);
    if (!place) return sdk::is_missing(place.error()) ? sdk::Result<Size>(Size()) : place.error();
    const sdk::ContentSpace space{place->platform, place->repository};
    auto sum = counted_bytes(services_.branches, reader, space);
    if (!sum) return sum.error();
    auto added = add_changesets(reader, services_.branches.space(*place), *sum);
    if (!added) return added.error();
    auto listed = for_each_file(reader, space, [&sum](const Attachment& file) {
        ++sum->objects;
        sum->bytes += static_cast<std::int64_t>(file.length);
    });
    if (!listed) return listed.error();
    return Size(*sum);
}

sdk::Result<void> ContentSizes::for_each_binary(const sdk::Reader& reader,
                                                const VisitBinary& visit) {
    ContentLog log(services_);
    return for_each_attached_binary(services_, log, reader, visit);
}

}  // namespace stele::nodes
