#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/services/activities.hpp>

#include "token/token_request.hpp"

namespace stele::identity {

/// The record of a client that presented itself rightly: known, enabled, with its secret, or
/// without one where open drivers are allowed. `invalid_client` otherwise.
sdk::Result<sdk::Document> authenticate_client(sdk::Context& context, const sdk::RecordKey& client,
                                               const ClientCredentials& credentials);

/// Who logs in with a name and a password (docs/specification/platform.md 2.2): a user in any of
/// the forms of its name, or the user of an authentication grant. Computes long. `invalid_grant`
/// otherwise, with the same words whatever the reason.
sdk::Result<sdk::Principal> log_in(sdk::Context& context, const sdk::Document& client,
                                   std::string_view username,
                                   const std::optional<std::string>& password);

/// Notes in the audit log that a login failed, with what the caller claimed to be. Failures that
/// refuse nobody are not noted, and nothing where nobody keeps an audit log.
void note_refused_login(sdk::Activities* activities, const sdk::PlatformScope& platform,
                        const sdk::Call& call, std::string_view claimed, const sdk::Error& error);

}  // namespace stele::identity
