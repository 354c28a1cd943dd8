#pragma once

#include <string>
#include <vector>

#include <stele/sdk/services/content_log.hpp>

#include "content/services.hpp"

namespace stele::nodes {

/// For `stele check`: adds a line for every attachment, of any version of any node, whose bytes are
/// not there or not as many as the node says, and for what could not be looked at. One attachment
/// that many versions share is told once.
void check_attachments(Services& services, sdk::ContentLog& log,
                       std::vector<std::string>& differences);

}  // namespace stele::nodes
