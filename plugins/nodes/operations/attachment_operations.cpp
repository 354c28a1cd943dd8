#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "content/attachment_names.hpp"
#include "content/attachment_writer.hpp"
#include "content/attachments.hpp"
#include "content/form_body.hpp"
#include "content/vocabulary.hpp"
#include "operations/index_job.hpp"
#include "operations/operations.hpp"

namespace stele::nodes {

namespace {

sdk::Result<sdk::Reply> list_attachments(Services& services, const sdk::Call& call) {
    return attachment_page(services, call, kept_attachments(call.record().fields));
}

sdk::Result<sdk::Reply> download_attachment(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    return attachment_download(*content, call, kept_attachments(call.record().fields));
}

/// Adds to what the node has; an id that it has already gets the new bytes.
sdk::Result<sdk::Reply> add_attachments(const BranchContent& content, const sdk::Document& node,
                                        const std::vector<Attachment>& added) {
    sdk::Json attachments = kept_attachments(node.fields);
    for (const Attachment& attachment : added)
        attachments[attachment.id] = attachment.to_json();
    auto changed = put_attachments(content, node, attachments);
    if (!changed) return changed.error();
    if (auto started = start_index_job(content); !started) return started.error();
    return sdk::Reply::status(changed->fields);
}

sdk::Result<Attachment> store_raw_body(const BranchContent& content, const sdk::Call& call,
                                       std::string id) {
    sdk::Upload& upload = call.upload();
    IncomingFile file{.id = std::move(id),
                      .file_name = call.parameter("filename").value_or(""),
                      .content_type = std::string(call.header("Content-Type").value_or(""))};
    return store_attachment(content, file,
                            [&upload](std::string& piece) { return upload.read(piece); });
}

/// The files of a form, under the names of their parts; `id`, where it is given, is that of all.
sdk::Result<std::vector<Attachment>> store_form(const BranchContent& content,
                                                const sdk::Call& call) {
    auto form = FormBody::open(call);
    if (!form) return form.error();
    std::vector<Attachment> stored;
    std::vector<bool> is_named;
    for (;;) {
        auto part = form->next_file();
        if (!part) return part.error();
        if (!*part) break;
        // Its id may follow in a later part.
        auto file = store_attachment(
            content, {.file_name = *(*part)->file_name, .content_type = (*part)->content_type},
            [&form](std::string& piece) { return form->read(piece); });
        if (!file) return file.error();
        file->id = (*part)->name.empty() ? kDefaultAttachment : (*part)->name;
        is_named.push_back(!(*part)->file_name->empty());
        stored.push_back(std::move(*file));
    }
    for (std::size_t i = 0; i < stored.size(); ++i) {
        const std::string part_name = stored[i].id;
        stored[i].id = form->parameter(fmt::format("attachmentId_{}", i)).value_or(part_name);
        if (auto fine = check_attachment_id(stored[i].id); !fine) return fine.error();
        if (!is_named[i]) stored[i].file_name = safe_file_name(part_name, stored[i].id);
    }
    if (!stored.empty()) return stored;
    return sdk::make_error({{"body", "attachment.file_missing",
                             "the form has no part with a file "
                             "name"}});
}

sdk::Result<sdk::Reply> upload_attachments(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (has_form_body(call)) {
        auto stored = store_form(*content, call);
        if (!stored) return stored.error();
        return add_attachments(*content, call.record(), *stored);
    }
    auto stored = store_raw_body(*content, call, kDefaultAttachment);
    if (!stored) return stored.error();
    return add_attachments(*content, call.record(), {*stored});
}

sdk::Result<sdk::Reply> upload_attachment(Services& services, const sdk::Call& call) {
    const std::string id(call.path(kAttachmentId));
    if (auto fine = check_attachment_id(id); !fine) return fine.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    if (!has_form_body(call)) {
        auto stored = store_raw_body(*content, call, id);
        if (!stored) return stored.error();
        return add_attachments(*content, call.record(), {*stored});
    }
    auto form = FormBody::open(call);
    if (!form) return form.error();
    auto part = form->next_file();
    if (!part) return part.error();
    if (!*part) {
        return sdk::make_error(
            {{"body", "attachment.file_missing", "the form has no part with a file name"}});
    }
    auto stored = store_attachment(
        *content,
        {.id = id, .file_name = *(*part)->file_name, .content_type = (*part)->content_type},
        [&form](std::string& piece) { return form->read(piece); });
    if (!stored) return stored.error();
    auto another = form->next_file();
    if (!another) return another.error();
    if (*another) {
        return sdk::make_error({{"body", "attachment.one_file_expected",
                                 "a form for one attachment has one part with a file name"}});
    }
    return add_attachments(*content, call.record(), {*stored});
}

sdk::Result<sdk::Reply> remove_attachment(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    sdk::Json attachments = kept_attachments(call.record().fields);
    auto attachment = find_attachment(attachments, call.path(kAttachmentId));
    if (!attachment) return attachment.error();
    attachments.erase(attachment->id);
    auto changed = put_attachments(*content, call.record(), attachments);
    if (!changed) return changed.error();
    return sdk::Reply::status(changed->fields);
}

/// The copy is the same bytes under another id.
sdk::Result<sdk::Reply> copy_attachment(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto id = call.required_parameter("id");
    if (!id) return id.error();
    if (auto fine = check_attachment_id(*id); !fine) return fine.error();
    auto attachment =
        find_attachment(kept_attachments(call.record().fields), call.path(kAttachmentId));
    if (!attachment) return attachment.error();
    attachment->id = *id;
    return add_attachments(*content, call.record(), {*attachment});
}

}  // namespace

sdk::Actions node_attachment_actions() {
    using enum sdk::Permission;
    return {{.name = "attachments",
             .method = "GET",
             .run = operation<&list_attachments>(),
             .paged = true},
            {.name = "attachments",
             .permission = update,
             .run = operation<&upload_attachments>(),
             .parameters = {{"filename"}},
             .streamed_body = true},
            {.name = "attachments/{attachmentId}",
             .method = "GET",
             .run = operation<&download_attachment>(),
             .parameters = {{"a"}, {"filename"}}},
            {.name = "attachments/{attachmentId}",
             .permission = update,
             .run = operation<&upload_attachment>(),
             .parameters = {{"filename"}},
             .streamed_body = true},
            {.name = "attachments/{attachmentId}",
             .method = "DELETE",
             .permission = update,
             .run = operation<&remove_attachment>()},
            {.name = "attachments/{attachmentId}/copy",
             .permission = update,
             .run = operation<&copy_attachment>(),
             .parameters = {{"id", /*required=*/true}}}};
}

}  // namespace stele::nodes
