#pragma once

#include <cstddef>
#include <string>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "content/services.hpp"

namespace stele::nodes {

/// Where the attachments of a repository lie, outside of any operation, also of a closed platform.
/// Lives as long as the server. `unavailable` (`data_store.provider_missing`) when no enabled
/// plugin offers the place; `not_found` when the repository, or its platform, was removed
/// meanwhile.
sdk::Result<sdk::BlobStore*> binaries_of(Services& services, const sdk::Reader& reader,
                                         const sdk::ContentSpace& space);

/// Whether that is why they were not found: what is left of it waits to be erased, and nobody reads
/// it any more.
sdk::Result<bool> was_removed(Services& services, const sdk::ContentSpace& space,
                              const sdk::Error& not_found);

/// The bytes of a name, at most `limit` of them.
sdk::Result<std::string> first_bytes(sdk::BlobStore& binaries, const std::string& name,
                                     std::size_t limit);

}  // namespace stele::nodes
