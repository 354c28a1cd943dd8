#include "kernel/resource/work/record_attachments.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/work/work_context.hpp"
#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::resource {

namespace {

/// Member of `_system`.
constexpr char kTold[] = "attachments";
/// Where the row keeps content: no attachment has such an id (`sdk::check_attachment_id`).
constexpr char kContent[] = "/content";

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

/// Attachments and content.
sdk::Result<sdk::Json> read_row(const sdk::Reader& reader, const sdk::RecordKey& record) {
    auto row = reader.get(attachments_key(record));
    if (!row) return row.error();
    return *row ? decode_attachments(**row) : sdk::Json::object();
}

void write_row(sdk::Transaction& transaction, const sdk::RecordKey& record,
               const sdk::Json& binaries) {
    if (binaries.empty()) {
        transaction.remove(attachments_key(record));
    } else {
        transaction.put(attachments_key(record), sdk::dump_json(binaries));
    }
}

sdk::Result<void> count_difference(WorkContext& context, const sdk::RecordKey& record,
                                   const sdk::Json& before, const sdk::Json& after) {
    const sdk::DataStoreSize had = size_of_attachments(before);
    const sdk::DataStoreSize has = size_of_attachments(after);
    return context.data_stores().count(record, {has.objects - had.objects, has.bytes - had.bytes});
}

/// Says in the record what it has attached. A data store counts its own record nowhere.
sdk::Result<void> tell_attachments(WorkContext& context, const sdk::RecordKey& key,
                                   const sdk::Json& attachments) {
    Records& records = context.services().records;
    sdk::Transaction& transaction = context.transaction();
    storage::Record record;
    if (auto found = records.read(transaction, key, record); !found) return found;
    auto resource = records.resource_of(transaction, key);
    if (!resource) return resource.error();
    auto document = document_of(record, sdk::Json::object());
    if (!document) return document.error();
    sdk::Json& system = document->fields["_system"];
    if (!system.is_object()) system = sdk::Json::object();
    system.erase(kTold);
    for (const auto& [id, kept] : attachments.items())
        system[kTold][id] = sdk::Attachment::from_json(id, kept).shown();
    auto stored = records.documents().replace(transaction, (*resource)->rules, record,
                                              document->fields, record.sealed());
    if (!stored) return stored.error();
    const bool is_counted =
        (*resource)->container && !(*resource)->descriptor.capabilities.data_store;
    if (!is_counted) return {};
    const auto grown = static_cast<std::int64_t>(stored->content_size()) -
                       static_cast<std::int64_t>(record.content_size());
    return context.data_stores().count(key, {0, grown});
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
    auto row = read_row(reader, record);
    if (row) row->erase(kContent);
    return row;
}

sdk::Result<void> replace_attachments(WorkContext& context, const sdk::RecordKey& record,
                                      const sdk::Json& before, const sdk::Json& after) {
    if (auto counted = count_difference(context, record, before, after); !counted) return counted;
    auto row = read_row(context.transaction(), record);
    if (!row) return row.error();
    sdk::Json binaries = after;
    if (const auto content = row->find(kContent); content != row->end())
        binaries[kContent] = *content;
    write_row(context.transaction(), record, binaries);
    // Behind the count, which may mark the record of a data store.
    return tell_attachments(context, record, after);
}

sdk::Result<std::optional<sdk::Attachment>> read_content(const sdk::Reader& reader,
                                                         const sdk::RecordKey& record) {
    auto row = read_row(reader, record);
    if (!row) return row.error();
    const auto content = row->find(kContent);
    if (content == row->end()) return std::optional<sdk::Attachment>();
    return std::optional(sdk::Attachment::from_json(sdk::kDefaultAttachment, *content));
}

sdk::Result<void> replace_content(WorkContext& context, const sdk::RecordKey& record,
                                  const sdk::Attachment& content) {
    auto before = read_row(context.transaction(), record);
    if (!before) return before.error();
    sdk::Json after = *before;
    after[kContent] = content.to_json();
    if (auto counted = count_difference(context, record, *before, after); !counted) return counted;
    write_row(context.transaction(), record, after);
    return {};
}

void keep_told_attachments(const sdk::Json& before, sdk::Json& system) {
    const auto told = before.find(kTold);
    if (told != before.end()) system[kTold] = *told;
}

sdk::Result<void> forget_attachments(WorkContext& context, const sdk::RecordKey& record) {
    auto present = read_row(context.transaction(), record);
    if (!present) return present.error();
    if (present->empty()) return {};
    write_row(context.transaction(), record, sdk::Json::object());
    return count_difference(context, record, *present, sdk::Json::object());
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
