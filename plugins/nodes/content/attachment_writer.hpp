#pragma once

#include <functional>
#include <string>

#include "content/attachments.hpp"

namespace stele::nodes {

/// What a sender says of a file.
struct IncomingFile {
    std::string id = kDefaultAttachment;
    std::string file_name;
    std::string content_type;
};

/// Replaces `piece` with what comes next; empty at the end.
using PieceSource = std::function<sdk::Result<void>(std::string& piece)>;

struct StoredBytes {
    /// In the binaries.
    std::string name;
    std::uint64_t length = 0;
};
/// Puts bytes into binaries as they are; nothing refers to them yet.
sdk::Result<StoredBytes> store_bytes(sdk::BlobStore& binaries, const PieceSource& read);

/// Puts the bytes into the store's binaries; no record knows of them yet. Text of
/// another charset becomes UTF-8 (docs/specification/nodes.md 21).
sdk::Result<Attachment> store_attachment(const BranchContent& content, const IncomingFile& file,
                                         const PieceSource& read);

/// Gives a node these attachments and no others, as a new version. Refused where the branch is
/// protected or the node locked.
sdk::Result<sdk::Document> put_attachments(const BranchContent& content, const sdk::Document& node,
                                           const sdk::Json& attachments);

}  // namespace stele::nodes
