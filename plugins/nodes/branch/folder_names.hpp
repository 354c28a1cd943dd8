#pragma once

#include <functional>
#include <string>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Whether the folder has another child of the node's name (docs/specification/semantics.md 1.6.3).
/// Persons and groups lie beside one another under `r:users`, whatever their principals are called.
sdk::Result<bool> is_name_taken(const BranchContent& content, const std::string& folder,
                                const sdk::Document& node);

/// `conflict` (`nodes.name_taken`) where it is.
sdk::Result<void> check_name_free(const BranchContent& content, const std::string& folder,
                                  const sdk::Document& node);
/// Before a node has another name in a folder: looked at when everything is written, so that one
/// operation may exchange names.
sdk::Result<void> note_new_name(const BranchContent& content, const std::string& folder,
                                const sdk::Document& node);

/// Whether a name is not to be had for another reason than what the folder has.
using IsClaimed = std::function<sdk::Result<bool>(const std::string& name)>;

/// Where the folder has another child of the name that a node's fields give it, or the name is
/// claimed, the fields get a numbered one that is free, as `f:filename`. Answers whether they did.
sdk::Result<bool> number_name(const BranchContent& content, const std::string& folder,
                              std::string_view node, sdk::Json& fields,
                              const IsClaimed& is_claimed = {});

sdk::Error name_taken(const std::string& name);

}  // namespace stele::nodes
