#pragma once

#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/descriptor.hpp>

namespace stele::identity {

// What clients and authentication grants have in common: the server makes a key, by which they are
// found, and a secret.

/// The fields of a family: title, description, key and secret, then its own.
sdk::Fields with_key_and_secret(const sdk::Fields& own);

/// Gives a new record its key and secret.
void make_key_and_secret(sdk::Document& record);

/// Adds `secret` to a record on its way out, if the caller holds MODIFY_CREDENTIALS on it and asked
/// for it with `full=true`, as the published drivers do.
sdk::Result<void> present_secret(const sdk::Call& call, std::string_view type, sdk::Json& record);

}  // namespace stele::identity
