#pragma once

#include <optional>

#include <stele/sdk/context.hpp>
#include <stele/sdk/engine.hpp>

#include "session_keys.hpp"
#include "session_rows.hpp"

namespace stele::identity {

/// What a new token of a user rests on; nothing when the user is gone or disabled. `actors` are
/// those who act through it. Read in the transaction, so that its commit conflicts with whatever
/// ends the sessions meanwhile.
sdk::Result<std::optional<SessionBasis>> present_basis(sdk::Context& context,
                                                       const sdk::RecordKey& user,
                                                       std::vector<Actor> actors = {});

/// The user for whom a token was made; nothing when it counts no more: the user or one of those who
/// act through it is gone or disabled, or their sessions were ended since.
sdk::Result<std::optional<PrincipalRow>> present_user(const sdk::Reader& reader,
                                                      const SessionKeys& keys,
                                                      const sdk::RecordKey& user,
                                                      const SessionBasis& basis);

/// Ends every access and refresh token, ticket, cookie and authorization code of a user, on every
/// server, and what it does through other users' tokens, with the commit of the transaction.
sdk::Result<void> end_sessions(sdk::Context& context, const sdk::RecordKey& user);

/// The same for every user of an identity, whatever platform they are on.
sdk::Result<void> end_sessions_of_identity(sdk::Context& context, const sdk::RecordKey& identity);

}  // namespace stele::identity
