#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include "attachment/attachment_writer.hpp"
#include "attachment/attachments.hpp"
#include "attachment/pictures.hpp"
#include "branch/vocabulary.hpp"
#include "graph/node_paths.hpp"
#include "job/index_job.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

sdk::Result<sdk::Reply> list_attachments(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto node = addressed_node(*content, call);
    if (!node) return node.error();
    return attachment_page(services, call, kept_attachments(node->fields));
}

sdk::Result<sdk::Reply> download_attachment(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto node = addressed_node(*content, call);
    if (!node) return node.error();
    return attachment_download(*content, call, node->fields);
}

/// Adds to what the node has; an id that it has already gets the new bytes.
sdk::Result<sdk::Reply> add_attachments(const BranchContent& content, const sdk::Document& node,
                                        const std::vector<Attachment>& added) {
    sdk::Json attachments = kept_attachments(node.fields);
    for (const Attachment& attachment : added)
        attachments[attachment.id] = attachment.to_json();
    if (auto derived = derive_pictures(content, node.fields, attachments); !derived)
        return derived.error();
    auto changed = put_attachments(content, node, attachments);
    if (!changed) return changed.error();
    if (auto started = start_index_job(content); !started) return started.error();
    return sdk::Reply::status(changed->fields);
}

sdk::FileKeeper keeper_of(const BranchContent& content) {
    return [&content](const IncomingFile& file, const PieceSource& read) {
        return store_attachment(content, file, read);
    };
}

sdk::Result<sdk::Reply> upload_attachments(Services& services, const sdk::Call& call) {
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto stored = sdk::receive_attachments(call, keeper_of(*content));
    if (!stored) return stored.error();
    return add_attachments(*content, call.record(), *stored);
}

sdk::Result<sdk::Reply> upload_attachment(Services& services, const sdk::Call& call) {
    auto fits = sdk::check_attachment_tag(call, kept_attachments(call.record().fields));
    if (!fits) return fits.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto stored = sdk::receive_attachment(call, keeper_of(*content));
    if (!stored) return stored.error();
    return add_attachments(*content, call.record(), {*stored});
}

sdk::Result<sdk::Reply> remove_attachment(Services& services, const sdk::Call& call) {
    auto fits = sdk::check_attachment_tag(call, kept_attachments(call.record().fields));
    if (!fits) return fits.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    sdk::Json attachments = kept_attachments(call.record().fields);
    auto attachment = find_attachment(attachments, call.path(sdk::kAttachmentId));
    if (!attachment) return attachment.error();
    attachments.erase(attachment->id);
    if (auto derived = derive_pictures(*content, call.record().fields, attachments); !derived)
        return derived.error();
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
    if (auto fine = sdk::check_attachment_id(*id); !fine) return fine.error();
    auto attachment =
        find_attachment(kept_attachments(call.record().fields), call.path(sdk::kAttachmentId));
    if (!attachment) return attachment.error();
    attachment->id = *id;
    return add_attachments(*content, call.record(), {*attachment});
}

}  // namespace

sdk::Actions node_attachment_actions() {
    using enum sdk::Permission;
    const sdk::Shape bytes = sdk::shape::bytes();
    return {{.name = "attachments",
             .method = "GET",
             .run = operation<&list_attachments>(),
             .parameters = {{"path"}},
             .paged = true,
             .answers = sdk::shape::page(sdk::shape::record("Attachment"))},
            {.name = "attachments",
             .permission = update,
             .run = operation<&upload_attachments>(),
             .parameters = {{"filename"}},
             .streamed_body = true,
             .takes = bytes,
             .answers = written_node()},
            {.name = "attachments/{attachmentId}",
             .method = "GET",
             .run = operation<&download_attachment>(),
             .parameters = {{"a", false, sdk::FieldKind::boolean}, {"filename"}, {"path"}},
             .answers = bytes},
            {.name = "attachments/{attachmentId}",
             .permission = update,
             .run = operation<&upload_attachment>(),
             .parameters = {{"filename"}},
             .streamed_body = true,
             .has_own_tag = true,
             .takes = bytes,
             .answers = written_node()},
            {.name = "attachments/{attachmentId}",
             .method = "DELETE",
             .permission = update,
             .run = operation<&remove_attachment>(),
             .slow = true,
             .has_own_tag = true,
             .urgent = true,
             .answers = written_node()},
            {.name = "attachments/{attachmentId}/copy",
             .permission = update,
             .run = operation<&copy_attachment>(),
             .parameters = {{"id", /*required=*/true}},
             .answers = written_node()}};
}

}  // namespace stele::nodes
