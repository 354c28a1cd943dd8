#include "content/node_attachment_reader.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>

#include "content/attachments.hpp"

namespace stele::nodes {

namespace {

constexpr std::size_t kReadPiece = std::size_t{256} * 1024;

sdk::Result<std::string> read_bytes(sdk::BlobStore& binaries, const std::string& name) {
    auto reader = binaries.open(name);
    if (!reader) return reader.error();
    std::string bytes;
    std::string piece;
    do {
        if (auto read = (*reader)->read(bytes.size(), kReadPiece, piece); !read)
            return read.error();
        bytes += piece;
    } while (!piece.empty());
    return bytes;
}

}  // namespace

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
        return sdk::make_error(sdk::ErrorKind::too_large, "attachment.too_large",
                               fmt::format("the attachment has more than {} bytes", limit));
    }
    auto binaries = context.data_stores().binaries(*key);
    if (!binaries) return binaries.error();
    auto bytes = read_bytes(**binaries, attachment->object_id);
    if (!bytes) return bytes.error();
    return sdk::AttachmentContent{attachment->file_name, attachment->content_type,
                                  std::move(*bytes)};
}

}  // namespace stele::nodes
