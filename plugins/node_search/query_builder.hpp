#pragma once

#include <optional>

#include <xapian.h>

#include <stele/sdk/result.hpp>
#include <stele/sdk/services/content_log.hpp>

#include "expression.hpp"

namespace stele::node_search {

/// Slots of a document's values: the revisions from and before which a version shows on its line.
inline constexpr Xapian::valueno kBornSlot = 0;
inline constexpr Xapian::valueno kDiedSlot = 1;
/// And the version (`version_value`): ids of nodes sort by their creation.
inline constexpr Xapian::valueno kVersionSlot = 2;

/// A revision so that values compare like numbers.
std::string revision_value(std::uint64_t revision);
inline constexpr std::uint64_t kNeverDied = ~std::uint64_t{0};

/// The expression over the index of a repository. Nothing when no word is left of it: such a search
/// finds nothing. May throw what Xapian throws.
sdk::Result<std::optional<Xapian::Query>> build_query(const Xapian::Database& database,
                                                      const sdk::ContentSpace& space,
                                                      const Expression& expression);

/// Versions that show on one of the view's lines. Those that a nearer line hides are among them.
/// `indexed_to` is the last revision that the index has anything of, 0 when nobody knows.
Xapian::Query view_query(const sdk::ContentView& view, std::uint64_t indexed_to);

}  // namespace stele::node_search
