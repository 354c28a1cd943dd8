#pragma once

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// `before` after the operations of a JSON Patch (RFC 6902), whose paths may lack their first
/// slash. A short patch can ask for much (each `copy` may double what is there), so it is `invalid`
/// (`node.patch_too_costly`) beyond 1000 operations, more than a body could bring, or deeper
/// nesting than a body may have.
sdk::Result<sdk::Json> patched(const sdk::Json& before, const sdk::Json& operations);

}  // namespace stele::nodes
