#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Most nodes that are looked at to find out whether an association would close a circle.
inline constexpr std::size_t kCircleNodes = 100'000;

/// What a new association may not do, whoever makes it and in whatever way: `conflict` where it
/// would close a circle of folders and owners, or of another type that bears `f:non-cyclic`
/// (`nodes.association_circle`), or give a node a second owner (`nodes.owner_taken`).
sdk::Result<void> check_association_fits(const BranchContent& content,
                                         const sdk::Document& association);

/// What joining asks of ends that were there before, whoever made the others: CREATE_SUBOBJECTS on
/// a folder that gets a member, UPDATE on any other source, and UPDATE on a node that gets into a
/// folder. Null for an end that the operation itself has made or written.
sdk::Result<void> require_ends(const BranchContent& content, std::string_view type,
                               const sdk::Document* source, const sdk::Document* target);

/// `locked` (`nodes.locked`) where the node at an end is, for whoever acts.
sdk::Result<void> check_end_unlocked(const BranchContent& content, const std::string& end);
/// Locks of the nodes at both ends hold for the association, too: `locked` (`nodes.locked`), unless
/// it goes because one of them does.
sdk::Result<void> check_ends_unlocked(const BranchContent& content,
                                      const sdk::Document& association);

/// The type of an association that a client names by a parameter: `invalid` where it is no QName
/// (`nodes.qname_malformed`), or one of those that operations of their own make
/// (`nodes.association_reserved`).
sdk::Result<void> check_association_type(std::string_view type, std::string_view parameter);

}  // namespace stele::nodes
