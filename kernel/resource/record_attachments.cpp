#include "kernel/resource/record_attachments.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/resource/work_context.hpp"
#include "kernel/storage/keys.hpp"

namespace stele::kernel::resource {

namespace {

std::string row_prefix(std::uint64_t platform) {
    return storage::kind_prefix(platform, storage::kAttachmentTag);
}

std::string attachments_key(const sdk::RecordKey& record) {
    const std::uint64_t platform = sdk::KeyReader(record).integer().value_or(0);
    return row_prefix(platform) + std::string(record);
}

sdk::Result<sdk::Json> decode_attachments(std::string_view row) {
    auto attachments = sdk::parse_json(row);
    if (attachments && attachments->is_object()) return attachments;
    return sdk::make_error(sdk::ErrorKind::internal, "attachment.row_broken",
                           "what is kept about attachments cannot be read");
}

}  // namespace

sdk::DataStoreSize size_of_attachments(const sdk::Json& attachments) {
    sdk::DataStoreSize size;
    for (const auto& [id, attachment] : attachments.items()) {
        ++size.objects;
        size.bytes += sdk::integer_member(attachment, "length").value_or(0);
    }
    return size;
}

sdk::Result<sdk::Json> read_attachments(const sdk::Reader& reader, const sdk::RecordKey& record) {
    auto row = reader.get(attachments_key(record));
    if (!row) return row.error();
    return *row ? decode_attachments(**row) : sdk::Json::object();
}

sdk::Result<void> replace_attachments(WorkContext& context, const sdk::RecordKey& record,
                                      const sdk::Json& before, const sdk::Json& after) {
    const sdk::DataStoreSize had = size_of_attachments(before);
    const sdk::DataStoreSize has = size_of_attachments(after);
    auto counted =
        context.data_stores().count(record, {has.objects - had.objects, has.bytes - had.bytes});
    if (!counted) return counted;
    if (after.empty()) {
        context.transaction().remove(attachments_key(record));
    } else {
        context.transaction().put(attachments_key(record), sdk::dump_json(after));
    }
    return {};
}

sdk::Result<void> forget_attachments(WorkContext& context, const sdk::RecordKey& record) {
    auto present = read_attachments(context.transaction(), record);
    if (!present) return present.error();
    if (present->empty()) return {};
    return replace_attachments(context, record, *present, sdk::Json::object());
}

sdk::Result<void> for_each_attached(
    const sdk::Reader& reader, std::uint64_t platform,
    const std::function<sdk::Result<void>(const sdk::RecordKey& record, const sdk::Json&)>& visit) {
    const std::string prefix = row_prefix(platform);
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        auto attachments = decode_attachments(cursor->value());
        if (!attachments) return attachments.error();
        const sdk::RecordKey record(cursor->key().substr(prefix.size()));
        if (auto visited = visit(record, *attachments); !visited) return visited;
    }
    return cursor->status();
}

}  // namespace stele::kernel::resource
