#pragma once

#include <string>

#include <stele/sdk/error.hpp>
#include <stele/sdk/json.hpp>

#include "definition/schema_parts.hpp"

namespace stele::nodes {

/// Adds what is wrong with `instance` by a schema, each with its path below `path`; or that the
/// schema itself is faulty, or cannot be decided within bounds. Any thread.
void check_schema(const SchemaDocument& schema, const sdk::Json& instance, const std::string& path,
                  sdk::Violations& violations);

}  // namespace stele::nodes
