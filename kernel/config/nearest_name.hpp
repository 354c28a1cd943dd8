#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stele::kernel::config {

/// How many letters must be added, removed, replaced or swapped with their neighbour to turn one
/// text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate with the smallest distance, the first of several; empty without candidates.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace stele::kernel::config
