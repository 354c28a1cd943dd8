#pragma once

#include <stele/sdk/registrar.hpp>

namespace stele::graphql {

/// `graphql` and `graphql/schema` below every branch.
void add_endpoints(sdk::Registrar& registrar);

}  // namespace stele::graphql
