#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Properties that stand for associations (docs/specification/semantics.md 3.4): a definition says
/// `_relator` of one, and associations of that type lead to what its value names. These bear
/// `f:relator`, which says for which property. Only what a write itself names makes any, as whoever
/// writes; what was there, whatever a definition says meanwhile, stays as it is
/// (docs/decisions/0109-properties-that-stand-for-associations.md). What goes with an association
/// that goes is in history/former_relations.hpp.

/// Before a node is written: fills in what its properties tell of the nodes that they name newly.
/// Adds a violation for one that is not there for whoever acts, or does not fit.
sdk::Result<void> resolve_relations(const BranchContent& content, const sdk::Json* before,
                                    sdk::Json& after, sdk::Violations& violations);

/// After it: makes associations for what the write named newly, and removes those of what it names
/// no more. Whatever an `associate` by hand is refused for is refused, with the property's name in
/// front of the message; `too_large` (`nodes.relations_too_many`) where one operation would make
/// too many.
sdk::Result<void> sync_relations(const BranchContent& content, const sdk::Json* before,
                                 const sdk::Document& after);

}  // namespace stele::nodes
