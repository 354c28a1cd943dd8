#pragma once

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "content/services.hpp"

namespace stele::nodes {

/// Where the attachments of a repository lie, outside of any operation. Lives as long as the
/// server. `unavailable` (`data_store.provider_missing`) when no enabled plugin offers the place.
sdk::Result<sdk::BlobStore*> binaries_of(Services& services, const sdk::Reader& reader,
                                         const sdk::ContentSpace& space);

}  // namespace stele::nodes
