#pragma once

#include <stele/sdk/json.hpp>

namespace stele::testing {

/// What docs/reference/query-language.md says, written down a second time and as plainly as
/// possible: the query document is interpreted as it stands, on whole JSON values. The query must
/// be a right one. Slow.
bool naive_matches(const sdk::Json& query, const sdk::Json& document);

/// What `_fields` of the query leaves of the document.
sdk::Json naive_project(const sdk::Json& query, const sdk::Json& document);

}  // namespace stele::testing
