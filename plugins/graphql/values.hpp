#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "syntax.hpp"

namespace stele::graphql {

/// Whether arguments and variables may have the type; all such types are scalars or lists of them.
bool is_input_type(std::string_view type);

/// What is wrong with a literal where `type` is wanted; empty when nothing is. Variables in it are
/// taken for fitting.
std::string literal_problem(const Value& literal, std::string_view type);

/// The value of a literal that fits its type; nothing for a variable that has none.
std::optional<sdk::Json> literal_value(const Value& literal, std::string_view type,
                                       const sdk::Json& variables);

/// What is wrong with the JSON value of a variable; empty when nothing is.
std::string input_problem(const sdk::Json& value, std::string_view type);

/// A JSON value that fits its type as the type has it: a single value becomes a list.
sdk::Json input_value(const sdk::Json& value, std::string_view type);

/// A value of a record as the scalar or enumeration shows it; nothing when it does not fit.
std::optional<sdk::Json> shown_value(const sdk::Json& value, std::string_view type);

/// How many bytes a value takes in an answer, roughly.
std::size_t shown_size(const sdk::Json& value);

}  // namespace stele::graphql
