#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace stele::nodes {

/// The order of elements that two sides made of one. Elements are told apart by names, which are
/// unique in each of the three; those that `stays` is false of are left out.
///
/// What only one side moved stands where that side put it, what both moved where the target did.
/// What a side added stands behind what it stands behind there, what both added where the target
/// has it; of additions behind the same element, the target's come first. As of equal moves (to
/// exchange two elements is to move either) the same is always taken, equal sides give their order,
/// and one that left all as it was gives the other's. Takes n log n. The names are those of the
/// arguments. Any thread.
std::vector<std::string_view> merge_order(std::span<const std::string_view> base,
                                          std::span<const std::string_view> source,
                                          std::span<const std::string_view> target,
                                          const std::function<bool(std::string_view)>& stays);

}  // namespace stele::nodes
