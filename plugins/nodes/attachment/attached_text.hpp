#pragma once

#include <cstddef>
#include <string>

#include <stele/sdk/services/content_log.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// The text of a version's attachments that are text, a line between them: UTF-8, with tags of
/// markup left out and U+FFFD for what cannot be read; of the first `limit` bytes of all together.
/// Bytes that cannot be read are logged and left out: they must not keep others from being found.
sdk::Result<std::string> attached_text(Services& services, const sdk::Reader& reader,
                                       const sdk::ContentSpace& space,
                                       const sdk::ContentVersion& version, std::size_t limit);

}  // namespace stele::nodes
