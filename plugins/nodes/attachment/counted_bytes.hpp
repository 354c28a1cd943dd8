#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/descriptor.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// Bytes of attachments count in the size of a repository once, however many versions of whatever
/// nodes refer to them, and as long as the repository lives: history keeps them. Rows below a key
/// space of the platform, in which names are no text, so that they keep no bytes from being
/// collected:
///
///   nodes.bytes   repository number name -> length
///
/// What a load brings (branch/loading.hpp) waits in rows of its line, so that no operation holds
/// one for each binary, and is moved there once the line is shown.
///
/// Counts what a node that is about to be stored brings.
sdk::Result<void> count_attachments(const Services& services, sdk::Context& context,
                                    const sdk::RecordKey& branch, const sdk::Json* before,
                                    const sdk::Json& system);
/// Moves some of what a line was loaded with, once that is shown, and takes back what others have
/// counted meanwhile; true when none is left.
sdk::Result<bool> count_loaded(const Services& services, sdk::Context& context,
                               const BranchPlace& place);
/// Of one name; nothing when it was never counted.
sdk::Result<std::optional<std::uint64_t>> counted_length(const BranchStore& branches,
                                                         const sdk::Reader& reader,
                                                         const sdk::ContentSpace& space,
                                                         std::string_view object_id);
/// Of all.
sdk::Result<sdk::DataStoreSize> counted_bytes(const BranchStore& branches,
                                              const sdk::Reader& reader,
                                              const sdk::ContentSpace& space);
/// Prefix of the rows of a repository.
std::string counted_rows(const sdk::ContentSpace& space);

}  // namespace stele::nodes
