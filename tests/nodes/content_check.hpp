#pragma once

#include <string>
#include <vector>

#include "graph/branch_check.hpp"
#include "tests/nodes/content_world.hpp"

namespace stele::tests {

/// The codes of what is wrong with a branch's content, in the order of the records.
std::vector<std::string> check_content(ContentWorld& world, const std::string& branch,
                                       bool repairs);

}  // namespace stele::tests
