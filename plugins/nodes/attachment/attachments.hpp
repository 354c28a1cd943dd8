#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/call.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

using sdk::Attachment;
using sdk::find_attachment;
using sdk::kDefaultAttachment;

/// `_system.attachments` of a record, in order of upload; an object.
sdk::Json kept_attachments(const sdk::Json& record);
/// Those of a version as it is stored; fails when it cannot be decoded.
sdk::Result<std::vector<Attachment>> attachments_in(const sdk::ContentVersion& version);

/// The Result map that a call asks for.
sdk::Result<sdk::Reply> attachment_page(Services& services, const sdk::Call& call,
                                        const sdk::Json& attachments);
/// The bytes of the attachment of a version that the path names, as something that no browser runs.
/// They count as modified when the version was written: an older one that is restored, too.
sdk::Result<sdk::Reply> attachment_download(const BranchContent& content, const sdk::Call& call,
                                            const sdk::Json& version);

}  // namespace stele::nodes
