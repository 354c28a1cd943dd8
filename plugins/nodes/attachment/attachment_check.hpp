#pragma once

#include <string>
#include <vector>

#include <stele/sdk/services/content_log.hpp>
#include <stele/sdk/services/content_sizes.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// For `stele check`: adds a line for every attachment, of any version of any node, whose bytes are
/// not there or not as many as the node says, and for what could not be looked at. One attachment
/// that many versions share is told once. Repositories of closed platforms are looked at like
/// others; of one that was removed, itself or with its platform, nothing is said, as what is left
/// of it waits to be erased. On a store that servers share, bytes that are not here
/// are no difference: another server may have them (docs/guides/postgresql.md).
void check_attachments(Services& services, sdk::ContentLog& log,
                       std::vector<std::string>& differences);

/// Every binary that a version of a node or a file names, most of them once. Where the binaries of
/// a repository cannot be asked, the log says so.
sdk::Result<void> for_each_attached_binary(Services& services, sdk::ContentLog& log,
                                           const sdk::Reader& reader,
                                           const sdk::ContentSizes::VisitBinary& visit);

}  // namespace stele::nodes
