#pragma once

#include <cstddef>
#include <vector>

namespace stele::nodes {

/// Indexes of a longest subsequence that rises, of places that are all different; always the same
/// one. Takes n log n.
std::vector<std::size_t> longest_rising(const std::vector<std::size_t>& places);

}  // namespace stele::nodes
