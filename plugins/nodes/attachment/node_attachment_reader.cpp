#include "attachment/node_attachment_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>

#include "attachment/attachments.hpp"
#include "attachment/binaries.hpp"

namespace stele::nodes {

sdk::Result<sdk::AttachmentContent> NodeAttachmentReader::read(sdk::Context& context,
                                                               std::string_view reference,
                                                               std::string_view attachment_id,
                                                               std::uint64_t limit) {
    auto key = context.find_reference(reference);
    if (!key) return key.error();
    auto node = sdk::if_readable(context, context.documents().read(*key));
    if (!node) return node.error();
    if (!*node) {
        return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                               fmt::format("there is no record {}", reference));
    }
    auto attachment = find_attachment(kept_attachments((*node)->fields), attachment_id);
    if (!attachment) return attachment.error();
    if (attachment->length > limit) {
        return sdk::make_error(sdk::ErrorKind::too_large, "nodes.attachment_too_large",
                               fmt::format("the attachment has more than {} bytes", limit));
    }
    auto binaries = context.data_stores().binaries(*key);
    if (!binaries) return binaries.error();
    auto bytes = first_bytes(**binaries, attachment->object_id, std::string::npos);
    if (!bytes) return bytes.error();
    return sdk::AttachmentContent{attachment->file_name, attachment->content_type,
                                  std::move(*bytes)};
}

}  // namespace stele::nodes
