#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

// What properties name (relation/relations.hpp) goes with the association that stands for it.

/// An association is about to be removed by itself, or with one of its ends: what it stands for
/// goes with it. By itself that takes UPDATE on its source, `forbidden`; with an end it is
/// noted (`Changes::Relations::gone`), as whoever removes a node need not have any right on those
/// that name it.
sdk::Result<void> drop_element(const BranchContent& content, const sdk::Document& association);

/// Takes what names the targets out of the properties of a node, where no association stands for
/// it, as the server, which `server` acts as. Answers the bytes of the node, 0 where it is gone
/// itself.
sdk::Result<std::size_t> drop_elements(const BranchContent& server, const std::string& node,
                                       const GoneElements::mapped_type& gone);

}  // namespace stele::nodes
