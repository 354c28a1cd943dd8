#include "kernel/resource/operations/attachment_operations.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/attachments.hpp>
#include <stele/sdk/data_store.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/operations/kernel_action.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/record_attachments.hpp"
#include "kernel/resource/row_query.hpp"

namespace stele::kernel::resource {

namespace {

/// All stand in one row.
constexpr std::size_t kMostAttachments = 1000;

sdk::Result<sdk::Json> attachments_of(const RoutedCall& call) {
    return read_attachments(call.work().transaction(), call.record_key());
}

sdk::Result<sdk::Reply> changed_reply(const RoutedCall& call) {
    auto record = call.context().documents().read(call.record_key());
    if (!record) return record.error();
    return written_reply(call, *record);
}

sdk::Result<sdk::Reply> list_record_attachments(const RoutedCall& call) {
    auto attachments = attachments_of(call);
    if (!attachments) return attachments.error();
    std::vector<sdk::Json> rows;
    for (const auto& [id, kept] : attachments->items())
        rows.push_back(sdk::Attachment::from_json(id, kept).row());
    return RowQuery(call.rooms().has_numeric_sort).page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> download_of(const RoutedCall& call, const sdk::Json& attachments,
                                    std::string_view id) {
    auto attachment = sdk::find_attachment(attachments, id);
    if (!attachment) return attachment.error();
    auto binaries = call.context().data_stores().binaries(call.record_key());
    if (!binaries) return binaries.error();
    return sdk::attachment_reply(**binaries, call, *attachment);
}

sdk::Result<sdk::Reply> download_record_attachment(const RoutedCall& call) {
    auto attachments = attachments_of(call);
    if (!attachments) return attachments.error();
    return download_of(call, *attachments, call.path(sdk::kAttachmentId));
}

/// The attachment itself: pictures of other sizes are made of nodes only.
sdk::Result<sdk::Reply> preview_record_attachment(const RoutedCall& call) {
    auto attachments = attachments_of(call);
    if (!attachments) return attachments.error();
    std::string id = call.parameter("attachment").value_or("");
    if (id.empty()) id = std::string(call.path("name"));
    return download_of(call, *attachments,
                       attachments->contains(id) ? id : sdk::kDefaultAttachment);
}

sdk::Result<sdk::Attachment> keep_file(const RoutedCall& call, const sdk::IncomingFile& file,
                                       const sdk::PieceSource& read) {
    if (auto fine = sdk::check_attachment_id(file.id); !fine) return fine.error();
    auto type = sdk::media_type(file.content_type);
    if (!type) return type.error();
    sdk::DataStores& stores = call.context().data_stores();
    if (auto writable = stores.check_writable(call.record_key()); !writable)
        return writable.error();
    auto binaries = stores.binaries(call.record_key());
    if (!binaries) return binaries.error();
    auto bytes = sdk::store_bytes(**binaries, read);
    if (!bytes) return bytes.error();
    return sdk::Attachment{.id = file.id,
                           .file_name = sdk::safe_file_name(file.file_name, file.id),
                           .content_type = std::move(*type),
                           .length = bytes->length,
                           .object_id = std::move(bytes->name),
                           .modified_ms = sdk::now_ms()};
}

sdk::FileKeeper keeper_of(const RoutedCall& call) {
    return [&call](const sdk::IncomingFile& file, const sdk::PieceSource& read) {
        return keep_file(call, file, read);
    };
}

/// An id that the record has already gets the new bytes.
sdk::Result<sdk::Reply> attach(const RoutedCall& call, const std::vector<sdk::Attachment>& added) {
    auto before = attachments_of(call);
    if (!before) return before.error();
    sdk::Json after = *before;
    for (const sdk::Attachment& attachment : added)
        after[attachment.id] = attachment.to_json();
    if (after.size() > kMostAttachments) {
        return sdk::make_error(
            sdk::ErrorKind::too_large, "attachment.count_exceeded",
            fmt::format("a record has at most {} attachments", kMostAttachments));
    }
    auto replaced = replace_attachments(call.work(), call.record_key(), *before, after);
    if (!replaced) return replaced.error();
    return changed_reply(call);
}

sdk::Result<sdk::Reply> upload_record_attachments(const RoutedCall& call) {
    auto kept = sdk::receive_attachments(call, keeper_of(call));
    if (!kept) return kept.error();
    return attach(call, *kept);
}

sdk::Result<sdk::Reply> upload_record_attachment(const RoutedCall& call) {
    auto before = attachments_of(call);
    if (!before) return before.error();
    if (auto fits = sdk::check_attachment_tag(call, *before); !fits) return fits.error();
    auto kept = sdk::receive_attachment(call, keeper_of(call));
    if (!kept) return kept.error();
    return attach(call, {std::move(*kept)});
}

sdk::Result<sdk::Reply> remove_record_attachment(const RoutedCall& call) {
    auto before = attachments_of(call);
    if (!before) return before.error();
    auto attachment = sdk::find_attachment(*before, call.path(sdk::kAttachmentId));
    if (!attachment) return attachment.error();
    if (auto fits = sdk::check_attachment_tag(call, &*attachment); !fits) return fits.error();
    sdk::Json after = *before;
    after.erase(attachment->id);
    auto replaced = replace_attachments(call.work(), call.record_key(), *before, after);
    if (!replaced) return replaced.error();
    return changed_reply(call);
}

}  // namespace

void add_attachments(sdk::ResourceDescriptor& descriptor) {
    const sdk::Permission read = sdk::Permission::read;
    const sdk::Permission update = sdk::Permission::update;
    const std::string one = "attachments/{attachmentId}";
    const std::vector<sdk::Parameter> shown{{"a"}, {"filename"}};
    const std::vector<sdk::Parameter> named{{"filename"}};
    for (KernelAction action : {
             KernelAction{"attachments", "GET", read, &list_record_attachments, {}, true},
             {.name = "attachments",
             .method = "POST",
             .permission = update,
             .run = &upload_record_attachments,
             .parameters = named,
             .has_streamed_body = true},
             {one, "GET", read, &download_record_attachment, shown},
             {.name = one,
             .method = "POST",
             .permission = update,
             .run = &upload_record_attachment,
             .parameters = named,
             .has_streamed_body = true,
             .has_own_tag = true},
             {.name = one,
             .method = "DELETE",
             .permission = update,
             .run = &remove_record_attachment,
             .has_own_tag = true,
             .is_urgent = true},
             {"preview/{name}", "GET", read, &preview_record_attachment, {{"attachment"}}},
         }) {
        descriptor.actions.push_back(action_of(std::move(action)));
    }
}

}  // namespace stele::kernel::resource
