#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/result.hpp>

namespace stele::identity {

/// Removes some of the rows that the shared key space has about a removed platform: its principals,
/// with their links to identities of other platforms, its clients and their keys, its identities.
/// True when nothing is left. Tokens end by themselves, and are worth nothing until then.
sdk::Result<bool> forget_platform(sdk::Context& context);

}  // namespace stele::identity
