#pragma once

#include <stele/sdk/descriptor.hpp>
#include <stele/sdk/json.hpp>

#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

/// The schemas of the description: of each family `type`, a record as it is read, and `typeBody`,
/// as it is written; and those to which `sdk::shape` and the standard operations refer.
sdk::Json schemas_of(const Registry& registry);

/// Of a parameter's text.
sdk::Json parameter_schema(const sdk::Parameter& parameter);
/// What a body of parameters may hold.
sdk::Json body_of_parameters(const std::vector<sdk::Parameter>& parameters);
/// Nothing told: any object.
sdk::Json schema_of(const sdk::Shape& shape);

}  // namespace stele::kernel::resource
