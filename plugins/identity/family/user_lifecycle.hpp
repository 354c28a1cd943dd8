#pragma once

#include <cstdint>
#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/services/teams.hpp>

#include "guard/password_rules.hpp"

namespace stele::identity {

/// What comes with a principal and must come and go with it. All inside the transaction of the
/// write.

/// Makes an identity for a new user, or links it to the one that its fields name; the caller needs
/// MODIFY_CREDENTIALS on that one.
sdk::Result<void> give_identity(sdk::Document& user, std::string_view password,
                                sdk::Context& context, std::uint64_t root_platform);

/// Rights of a new user on its identity, and the memberships that its `groups` name. Its rights on
/// itself need no grant.
sdk::Result<void> settle_in(const sdk::Document& principal, sdk::Context& context,
                            std::uint64_t root_platform, sdk::Teams& teams);

/// Copies what tokens need into the shared key space; sessions of the principal are made anew.
sdk::Result<void> copy_principal(const sdk::Document& principal, sdk::Context& context,
                                 std::uint64_t root_platform);

struct NewPassword {
    std::string_view text;
    std::string_view present;  ///< what the caller says is the present one
};
/// Sets the password of a user's identity, if the caller holds MODIFY_CREDENTIALS on the identity.
sdk::Result<void> change_user_password(const sdk::Document& user, const NewPassword& password,
                                       const PasswordRules& rules, sdk::Context& context);

/// Ends all sessions of a user, if the caller may; whoever may set its password may.
sdk::Result<void> end_user_sessions(const sdk::Document& user, sdk::Context& context);

/// `conflict` (`identity.principal_last_owner`) when nobody else acts for an owner of the platform.
sdk::Result<void> keep_last_owner(const sdk::Document& principal, sdk::Context& context);

/// Refuses to remove what the platform cannot do without; otherwise removes memberships, grants,
/// tokens' copy and an identity that nobody else shares.
sdk::Result<void> remove_principal(const sdk::Document& principal, sdk::Context& context);

}  // namespace stele::identity
