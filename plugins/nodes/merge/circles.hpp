#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// Numbers of groups by nodes.
using CircleGroups = std::unordered_map<std::string, std::size_t>;

/// Two nodes have one group where each lies in the other, however far: two that lie in one another
/// close a circle. Goes up from `begin`; `above` answers what a node lies in, is asked once for
/// each node that is reached, and ends the walk by its failure. Takes the time of the nodes and the
/// places that are reached, however deep these are.
sdk::Result<CircleGroups> circle_groups(
    const std::vector<std::string>& begin,
    const std::function<sdk::Result<std::vector<std::string>>(const std::string& node)>& above);

}  // namespace stele::nodes
