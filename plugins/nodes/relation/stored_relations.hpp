#pragma once

#include "branch/branch_content.hpp"
#include "history/node_relations.hpp"

namespace stele::nodes {

/// After a former version of a node has come back: brings those associations back, or makes them
/// anew, that stood for what it names when that version was written, where nothing stands for it
/// now and whoever acts may READ the target. What has none is what it would be had somebody
/// written the value before its definition: only text.
sdk::Result<void> restore_relations(const BranchContent& content, const sdk::Document& node,
                                    const VersionPlace& version);

}  // namespace stele::nodes
