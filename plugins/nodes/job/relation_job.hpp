#pragma once

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Before the operation ends, takes what names the nodes that it removes out of the properties of
/// others (`drop_element` has noted it): a few at once, with the removal, many by jobs after it. So
/// does a removal that had to begin again: whoever keeps writing a node that names another must not
/// keep that from going.
void drop_gone_elements(const BranchContent& content);

/// Once, while the plugin is opened.
void define_relation_job(Services& services);

}  // namespace stele::nodes
