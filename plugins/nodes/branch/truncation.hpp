#pragma once

#include <string_view>

#include <stele/sdk/reply.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// Adds to a Result map, or another object, that it is not everything: `truncated: true`, and in
/// `bound` the name of the bound that was reached.
sdk::Result<sdk::Reply> truncated(sdk::Reply reply, std::string_view bound);

}  // namespace stele::nodes
