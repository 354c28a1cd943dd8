#pragma once

#include <stele/sdk/json.hpp>

namespace stele::sdk {

/// The JSON patch (RFC 6902) that makes `after` of `before`. Takes about as long as both are large,
/// however many members their objects have. Any thread.
[[nodiscard]] Json json_difference(const Json& before, const Json& after);

}  // namespace stele::sdk
