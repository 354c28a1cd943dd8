#pragma once

#include <stele/sdk/services/content_transfer.hpp>
#include <stele/sdk/text_table.hpp>

#include "transfer/export_rules.hpp"

namespace stele::nodes {

/// Keys: ids of what leaves where nodes are named: these with all that lies below them and their
/// translations, what else the selection asks for, the associations between all these, the
/// definitions that they need and that are not built in, and the forms of those. Nodes that whoever
/// acts may not READ are counted, and nothing is looked for behind them. Definitions are those of
/// the tip. `not_found` (`document.unknown`) for a node that is not shown, `invalid`
/// (`nodes.association_unfit`) for an association.
sdk::Result<sdk::TextTable> select_ids(const ExportRules& rules,
                                       const sdk::ContentSelection& selection,
                                       sdk::ContentOmissions& omissions);

}  // namespace stele::nodes
