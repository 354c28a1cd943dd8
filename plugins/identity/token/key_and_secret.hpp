#pragma once

#include <optional>
#include <string>
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

/// A key and a secret as they come out of an archive, maybe made up.
struct BroughtKey {
    std::string key;
    std::string secret;

    /// Nothing where one is missing, too long, or has other characters than keys have.
    static std::optional<BroughtKey> of(const sdk::Json& secrets);
    /// Whether the key looks like one that the server made, as no name does.
    bool is_made_key() const;
};

/// Key and secret of a record for an archive that seals them.
void add_key_and_secret(const sdk::Document& record, sdk::Json& secrets);

/// Gives a record of a type a key and a secret that nobody else has; without `may_take_key` only
/// where it has that key already. False where it stays as it is.
sdk::Result<bool> restore_key_and_secret(sdk::Context& context, std::string_view type,
                                         const sdk::Document& record, const BroughtKey& brought,
                                         bool may_take_key);

/// Adds `secret` to a record on its way out, if the caller holds MODIFY_CREDENTIALS on it and asked
/// for it with `full=true`, as the published drivers do.
sdk::Result<void> present_secret(const sdk::Call& call, std::string_view type, sdk::Json& record);

}  // namespace stele::identity
