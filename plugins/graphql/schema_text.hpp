#pragma once

#include <string>

#include "schema.hpp"

namespace stele::graphql {

/// The schema in the schema definition language, without what every GraphQL server knows.
std::string schema_text(const Schema& schema);

}  // namespace stele::graphql
