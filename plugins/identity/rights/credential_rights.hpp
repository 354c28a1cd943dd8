#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::identity {

/// What opens a user (passwords, identities, authentication grants, tokens of impersonation) is
/// changed and read by the person itself, and by those who have at least what all users of the
/// person have (docs/decisions/0046-credentials-by-rights.md). For users of other platforms that
/// takes an owner of the one that the identity lies on, and acting there
/// (docs/decisions/0093-whose-the-person-is.md). Never through a session by which somebody else
/// acts: what opens a user outlives it. `forbidden` (`authority.principal_above_own`).
[[nodiscard]] sdk::Result<void> require_person_of(sdk::Context& context,
                                                  const sdk::RecordKey& user);
/// The same by the identity.
[[nodiscard]] sdk::Result<void> require_person(sdk::Context& context,
                                               const sdk::RecordKey& identity);
/// For what lasts as long as the caller's session (impersonation): the same, also where somebody
/// acts through it.
[[nodiscard]] sdk::Result<void> require_cover_of(sdk::Context& context, const sdk::RecordKey& user);
/// MODIFY_CREDENTIALS on the identity, too.
[[nodiscard]] sdk::Result<void> require_password_rights(sdk::Context& context,
                                                        const sdk::RecordKey& identity);

/// Whether the caller is a user of the identity.
[[nodiscard]] sdk::Result<bool> is_own_identity(sdk::Context& context,
                                                const sdk::RecordKey& identity);
/// Whether nobody acts through the caller's token: whoever impersonates a user is not the person.
[[nodiscard]] sdk::Result<bool> acts_in_person(sdk::Context& context);
/// Both.
[[nodiscard]] sdk::Result<bool> is_person(sdk::Context& context, const sdk::RecordKey& identity);

}  // namespace stele::identity
