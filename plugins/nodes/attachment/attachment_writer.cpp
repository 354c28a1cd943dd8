#include "attachment/attachment_writer.hpp"

#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>

#include <stele/sdk/attachment_names.hpp>
#include "attachment/text_recoder.hpp"
#include "branch/protection.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

/// What turns the text into UTF-8; nothing for other bytes, and for text that is it already.
sdk::Result<std::optional<TextRecoder>> recoder_for(const std::string& content_type) {
    const auto charset = sdk::charset_of(content_type);
    if (!charset || !sdk::media_essence(content_type).starts_with("text/") ||
        is_utf8_charset(*charset))
        return std::optional<TextRecoder>();
    auto opened = TextRecoder::open(*charset);
    if (!opened) return opened.error();
    return std::optional<TextRecoder>(std::move(*opened));
}

sdk::Result<StoredBytes> write_bytes(sdk::BlobStore& binaries, const PieceSource& read,
                                     std::optional<TextRecoder>& recoder) {
    StoredBytes stored;
    auto writer = binaries.create();
    if (!writer) return writer.error();
    std::string piece;
    for (bool is_last = false; !is_last;) {
        if (auto got = read(piece); !got) return got.error();
        is_last = piece.empty();
        if (recoder) {
            std::string text;
            if (auto converted = recoder->convert(piece, is_last, text); !converted)
                return converted.error();
            piece = std::move(text);
        }
        stored.length += piece.size();
        if (auto written = (*writer)->write(piece); !written) return written.error();
    }
    auto name = (*writer)->finish();
    if (!name) return name.error();
    stored.name = std::move(*name);
    return stored;
}

}  // namespace

sdk::Result<Attachment> store_attachment(const BranchContent& content, const IncomingFile& file,
                                         const PieceSource& read) {
    if (auto fine = sdk::check_attachment_id(file.id); !fine) return fine.error();
    auto type = sdk::media_type(file.content_type);
    if (!type) return type.error();
    sdk::DataStores& stores = content.context().data_stores();
    if (auto writable = stores.check_writable(content.branch()); !writable) return writable.error();
    auto binaries = stores.binaries(content.branch());
    if (!binaries) return binaries.error();
    auto recoder = recoder_for(*type);
    if (!recoder) return recoder.error();
    Attachment stored{.id = file.id,
                      .file_name = sdk::safe_file_name(file.file_name, file.id),
                      .content_type = *recoder ? sdk::with_charset(*type, "UTF-8") : *type};
    auto bytes = write_bytes(**binaries, read, *recoder);
    if (!bytes) return bytes.error();
    stored.length = bytes->length;
    stored.object_id = std::move(bytes->name);
    return stored;
}

sdk::Result<sdk::Document> put_attachments(const BranchContent& content, const sdk::Document& node,
                                           const sdk::Json& attachments) {
    if (auto writable = check_branch_writable(content); !writable) return writable.error();
    if (auto free = check_unlocked(content, node); !free) return free.error();
    content.changes().set_system(
        node.id, {{member::kAttachments, attachments.empty() ? sdk::Json() : attachments}});
    return content.context().documents().patch(content.nodes(), node.id, sdk::Json::object());
}

}  // namespace stele::nodes
