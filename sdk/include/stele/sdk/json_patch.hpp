#pragma once

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// The operations of a JSON Patch that came as a body: the body itself, or its member `patches`,
/// `operations` or `ops`, whichever is an array; null when there is none.
[[nodiscard]] const Json* patch_operations(const Json& body);

/// `before` after the operations of a JSON Patch (RFC 6902), whose paths may lack their first
/// slash. A short patch can ask for much (each `copy` may double what is there), so it is `invalid`
/// (`json.patch_too_costly`) beyond 1000 operations, more than a body could bring, or deeper
/// nesting than a body may have. `conflict` (`json.patch_test_failed`) where a `test` does not
/// hold.
[[nodiscard]] Result<Json> patched(const Json& before, const Json& operations);

}  // namespace stele::sdk
