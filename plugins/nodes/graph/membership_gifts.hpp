#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Rights reach from folders to their members, and what a node owns goes with it. So whoever puts a
/// node into a folder gives, to all who have roles on that folder or on those above it: `forbidden`
/// (`nodes.membership_gives_rights`) where one of these roles gives its holder something on the
/// node that is new to the holder and that whoever acts does not hold there themselves. What
/// policies give counts on single records only and reaches nothing. Makers of nodes own them. The
/// server itself passes. docs/decisions/0045-gifts-are-measured-by-their-reach.md
sdk::Result<void> check_membership_gives_nothing(const BranchContent& content,
                                                 const AssociationEnds& ends);

}  // namespace stele::nodes
