#pragma once

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

#include "plan.hpp"
#include "row_source.hpp"

namespace stele::graphql {

/// What the plan selects, as the member `data` of an answer: null where a value that must not be
/// null is. Problems of single fields are added to `problems`; the answer has null there. Fails
/// when the request as a whole does, conflicts and faults of the server among it.
sdk::Result<sdk::Json> execute(const Schema& schema, const Plan& plan, RowSource& rows,
                               Problems& problems);

}  // namespace stele::graphql
