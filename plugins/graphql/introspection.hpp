#pragma once

#include <string_view>

#include <stele/sdk/json.hpp>

#include "schema.hpp"

namespace stele::graphql {

/// A field of `__Schema`. A type stands as its text (`[ID!]`), its fields come from `type_field`.
sdk::Json schema_field(const Schema& schema, std::string_view field);
/// A field of `__Type`.
sdk::Json type_field(const Schema& schema, std::string_view type, std::string_view field);

}  // namespace stele::graphql
