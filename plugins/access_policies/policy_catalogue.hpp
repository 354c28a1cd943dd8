#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>

namespace stele::access_policies {

/// Skeletons of policies that an operator may start from; an array of `{key, title, statements}`.
const sdk::Json& policy_templates();

/// The policies that every platform has without storing them (docs/specification/platform.md 5.5).
const sdk::Json& system_policies();
/// One of them as the evaluation reads it (`Assignments::store_policy`): created before all
/// records, in their order here. Null when there is none with the key.
const std::string* system_policy_row(std::string_view key);

/// The condition types with the members of their `config`.
const sdk::Json& condition_types();

/// The entry of one of these arrays with that key; null when there is none.
const sdk::Json* find_entry(const sdk::Json& entries, std::string_view key);

}  // namespace stele::access_policies
