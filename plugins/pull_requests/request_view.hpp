#pragma once

#include <string>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>

namespace stele::pull_requests {

/// Takes away what whoever asks may not know: what was found out, unless they may READ both
/// branches, and faults of nodes that they may not READ.
[[nodiscard]] sdk::Result<void> leave_hidden_out(sdk::Context& context,
                                                 const std::string& repository, sdk::Json& record);

}  // namespace stele::pull_requests
