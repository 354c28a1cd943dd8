#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// A mount is an `a:has_mount` association from the root. It is found by its QName, which is unique
/// on a branch; the node that it leads to is found by the key itself.
inline constexpr char kMountPrefix[] = "mount:";
/// Member of the association.
inline constexpr char kMountKeyMember[] = "mount-key";

/// A word that stands for no node otherwise.
bool is_mount_key(std::string_view key);

/// Makes the key of a mount a name of its node, or takes it away.
sdk::Result<void> name_mount(const BranchContent& content, const sdk::Document& mount,
                             bool is_removed);

/// Explicit mounts that lead from the node, or to it.
sdk::Result<std::vector<Edge>> mounts_of(const BranchContent& content, std::string_view node,
                                         Direction direction);
/// Each mounted node that whoever acts may READ, under each of its keys and under its id.
sdk::Result<std::vector<sdk::Json>> mounted_rows(const BranchContent& content);

}  // namespace stele::nodes
