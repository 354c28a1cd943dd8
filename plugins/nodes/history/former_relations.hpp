#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

// What properties name (relation/relations.hpp) goes with the association that stands for it, and
// comes back with it.

/// An association is about to be removed by itself, or with one of its ends: what it stands for
/// goes with it. By itself that takes UPDATE on its source, `forbidden`; with an end it is
/// noted for `drop_gone_elements`.
sdk::Result<void> drop_element(const BranchContent& content, const sdk::Document& association);

/// After a node and all that depends on it are gone, takes what named them out of the properties of
/// others: as the server, as whoever deletes a node need not have any right on these. Each is
/// written once; a bounded number of bytes in one operation, what is beyond stays as it is. `going`
/// is about to be removed and is not written.
sdk::Result<void> drop_gone_elements(const BranchContent& content, const std::string& going = {});

/// After a former version of a node has come back: brings those associations back that stood for
/// what it names again and `before` did not, and whose targets whoever acts may READ. Others are
/// what they would be had somebody written the value before its definition: only text.
sdk::Result<void> restore_relations(const BranchContent& content, const sdk::Json& before,
                                    const sdk::Document& node);

}  // namespace stele::nodes
