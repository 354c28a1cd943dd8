#pragma once

#include <set>
#include <string>

#include <stele/sdk/services/content_transfer.hpp>

#include "transfer/export_rules.hpp"

namespace stele::nodes {

/// Ids of what leaves where nodes are named: these with all that lies below them and their
/// translations, what else the selection asks for, the associations between all these, the
/// definitions that they need and that are not built in, and the forms of those. Nodes that whoever
/// acts may not READ are counted, and nothing is looked for behind them. Definitions are those of
/// the tip. `not_found` (`document.unknown`) for a node that is not shown, `invalid`
/// (`nodes.association_unfit`) for an association.
sdk::Result<std::set<std::string>> select_ids(const ExportRules& rules,
                                              const sdk::ContentSelection& selection,
                                              sdk::ContentOmissions& omissions);

}  // namespace stele::nodes
