#pragma once

#include <vector>

#include <stele/sdk/json.hpp>

#include "schema.hpp"

namespace stele::graphql {

/// The schema that follows from the type definitions of a branch, given in the order of their
/// creation; from it alone, so that names stay when definitions are added.
Schema build_schema(const std::vector<sdk::Json>& definitions);

}  // namespace stele::graphql
