#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/registrar.hpp>

namespace stele::identity {

/// Whether a client's list holds the word; a client whose record lost the list has the default.
bool allows(const sdk::Document& client, const char* member, std::string_view word,
            bool is_default);

/// `unauthorized_client` when the client may not use the grant type.
sdk::Result<void> check_grant_type(const sdk::Document& client, const std::string& grant_type);

/// The wanted scope, or the default one; every word of it must be among the client's.
sdk::Result<std::string> granted_scope(const sdk::Document& client, const std::string& wanted);

/// Where a client's users are sent back to.
struct RedirectTarget {
    std::string uri;
    bool is_named = true;
};

/// The wanted address when it is, to the letter, one of the client's `registeredRedirectUri`; the
/// only one of these when none is wanted. `invalid_request` otherwise.
sdk::Result<RedirectTarget> redirect_target(const sdk::Document& client, const std::string& wanted);

/// Runs `work` as the server on the platform to which the client of the key belongs, whatever
/// platform was asked: in the context when it is the same one, else in a transaction of its own.
/// `invalid_client` when there is no such client, `invalid_grant` while its platform is closed.
sdk::Result<void> run_at_client(
    sdk::Registrar& registrar, sdk::Context& context, std::string_view client_key,
    const std::function<sdk::Result<void>(sdk::Context&, const sdk::RecordKey& client)>& work);

}  // namespace stele::identity
