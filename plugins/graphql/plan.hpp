#pragma once

#include <string>
#include <vector>

#include <stele/sdk/json.hpp>

#include "schema.hpp"
#include "syntax.hpp"

namespace stele::graphql {

/// A selected field with its fragments written out. Types have no subtypes here, so what is
/// selected does not depend on what is found.
struct PlannedField {
    std::string key;
    const FieldDefinition* definition = nullptr;
    /// The type that the field belongs to.
    const TypeDefinition* owner = nullptr;
    sdk::Json arguments;
    std::vector<PlannedField> fields;
    Place place;
};

struct Plan {
    std::vector<PlannedField> fields;
    Problems problems;
};

/// The values of an operation's variables out of what the caller sent, defaults filled in.
sdk::Json read_variables(const Operation& operation, const sdk::Json& sent, Problems& problems);

/// What a validated operation selects. Problems: fields that do not merge, and bounds. Refers to
/// the schema.
Plan plan_operation(const Schema& schema, const Document& document, const Operation& operation,
                    const sdk::Json& variables);

}  // namespace stele::graphql
