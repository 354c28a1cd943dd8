#pragma once

#include <set>
#include <string>
#include <string_view>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Texts of nodes of a type that are merged by lines: those of which its definition, or one that it
/// extends, says `"_merge": "lines"`. JSON pointers without the steps of an array's elements
/// (`ValueMergeOptions::is_text_of_lines`).
sdk::Result<std::set<std::string>> texts_of_lines(const BranchContent& content,
                                                  std::string_view type);

}  // namespace stele::nodes
