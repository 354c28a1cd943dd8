#pragma once

#include <cstddef>
#include <string>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// Where the attachments of a repository lie, outside of any operation, also of a closed platform.
/// Lives as long as the server. Null where the repository, or its platform, was removed: what is
/// left of it waits to be erased, and nobody reads it any more. `unavailable`
/// (`data_store.provider_missing`) when no enabled plugin offers the place.
sdk::Result<sdk::BlobStore*> binaries_of(Services& services, const sdk::Reader& reader,
                                         const sdk::ContentSpace& space);

/// The bytes of a name, at most `limit` of them.
sdk::Result<std::string> first_bytes(sdk::BlobStore& binaries, const std::string& name,
                                     std::size_t limit);

}  // namespace stele::nodes
