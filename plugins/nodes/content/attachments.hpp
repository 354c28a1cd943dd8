#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/call.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "content/branch_content.hpp"

namespace stele::nodes {

inline constexpr char kDefaultAttachment[] = "default";

/// One attachment of a record, as its `_system.attachments` says.
struct Attachment {
    std::string id;
    std::string file_name;
    std::string content_type;
    std::uint64_t length = 0;
    /// Name of the bytes in the store's binaries.
    std::string object_id = {};

    sdk::Json to_json() const;
};

/// `_system.attachments` of a record, in order of upload; an object.
sdk::Json kept_attachments(const sdk::Json& record);
/// Those of a version as it is stored; fails when it cannot be decoded.
sdk::Result<sdk::Json> attachments_in(const sdk::ContentVersion& version);
/// `not_found` (`attachment.unknown`).
sdk::Result<Attachment> find_attachment(const sdk::Json& attachments, std::string_view id);

/// Bytes as something that no browser runs; active ones are always saved as a file.
sdk::Reply inert_download(sdk::BlobStore& binaries, const Attachment& attachment, bool is_file,
                          std::string_view file_name);

/// The Result map that a call asks for.
sdk::Result<sdk::Reply> attachment_page(Services& services, const sdk::Call& call,
                                        const sdk::Json& attachments);
/// The bytes of the attachment that the path names, as something that no browser runs.
sdk::Result<sdk::Reply> attachment_download(const BranchContent& content, const sdk::Call& call,
                                            const sdk::Json& attachments);

}  // namespace stele::nodes
