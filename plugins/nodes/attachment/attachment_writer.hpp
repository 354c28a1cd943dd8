#pragma once

#include <functional>
#include <string>

#include "attachment/attachments.hpp"

namespace stele::nodes {

using sdk::IncomingFile;
using sdk::PieceSource;
using sdk::StoredBytes;

/// Puts the bytes into the store's binaries; no record knows of them yet. Text of
/// another charset becomes UTF-8 (docs/specification/nodes.md 21).
sdk::Result<Attachment> store_attachment(const BranchContent& content, const IncomingFile& file,
                                         const PieceSource& read);

/// Gives a node these attachments and no others, as a new version. Refused where the branch is
/// protected or the node locked.
sdk::Result<sdk::Document> put_attachments(const BranchContent& content, const sdk::Document& node,
                                           const sdk::Json& attachments);

}  // namespace stele::nodes
