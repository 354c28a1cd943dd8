#pragma once

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "expression.hpp"

namespace stele::node_search {

/// Reads what a caller searches for: text in query-string syntax, or an object of the search
/// language (docs/reference/search.md). Fails with `invalid`, whose violation names the part.
sdk::Result<Expression> parse_search(const sdk::Json& search);

}  // namespace stele::node_search
