#pragma once

#include "schema.hpp"
#include "syntax.hpp"

namespace stele::graphql {

/// What the specification forbids (GraphQL, edition October 2021, section 5), all operations and
/// fragments looked at; whether fields merge is seen when the operation is planned.
Problems validate(const Schema& schema, const Document& document);

}  // namespace stele::graphql
