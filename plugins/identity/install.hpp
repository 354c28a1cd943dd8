#pragma once

#include <stele/sdk/context.hpp>

namespace stele::identity {

/// First content of a platform: primary domain and directory, the group `everyone`, the guest; and
/// what the seed names: administrator, client, authentication grant. Safe to repeat.
sdk::Result<void> install(sdk::Context& context, const sdk::Json& seed);

}  // namespace stele::identity
