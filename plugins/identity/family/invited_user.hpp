#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/platforms.hpp>

namespace stele::identity {

/// A user who is to become one of another domain, too, and the person that it is.
struct InvitedUser {
    sdk::Document record;
    sdk::RecordKey identity;
};

/// The user of the form: one of the context's platform that the caller may read, else one of the
/// first platform that the person for whom the context's platform was made may read there, where
/// that person calls. `not_found` (`principal.unknown`); `invalid`
/// (`identity.principal_invitation_unfit`) for groups, guests and users who are disabled or have no
/// identity.
sdk::Result<InvitedUser> find_invited(sdk::Registrar& registrar, sdk::Platforms& platforms,
                                      sdk::Context& context, std::string_view form);

/// The user as one of the domain: the one that the person has there, else a new one that the
/// caller owns.
sdk::Result<sdk::Document> settle_invited(sdk::Registrar& registrar, sdk::Context& context,
                                          const sdk::CollectionName& principals,
                                          const InvitedUser& invited);

/// Notes on a new user's record that the caller has invited it; users do not say so themselves.
sdk::Result<sdk::Document> note_inviter(sdk::Context& context,
                                        const sdk::CollectionName& principals,
                                        const sdk::Document& user);

}  // namespace stele::identity
