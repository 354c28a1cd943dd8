#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/services/authenticator.hpp>

#include "session_cache.hpp"
#include "session_keys.hpp"

namespace stele::sdk {
class Registrar;
}

namespace stele::identity {

/// Name of the cookie and of the header that stand in for a bearer token.
inline constexpr char kTicketName[] = "GITANA_TICKET";

/// What `Session::token_id` says.
struct TokenReference {
    std::string digest;
    /// The request has no other credential than a cookie, which browsers add by themselves.
    bool is_by_cookie = false;

    std::string encode() const;
    static TokenReference of(const sdk::Session& session);
};

/// Where tokens stand in requests, the part that wins first.
const std::vector<sdk::CredentialPart>& token_parts();

/// The token of a credential in clear, where it stands or in `decoded`; empty when it is none.
std::string_view presented_token(const sdk::Credential& credential, std::string& decoded);

/// `unauthenticated` as clients expect it of a token that is not, or no longer, valid.
sdk::Error invalid_token();

/// Turns tokens into sessions: from the cache, else from three rows of the shared key space.
class TokenAuthenticator final : public sdk::Authenticator {
public:
    /// Observes the store; hence before serving begins. `registrar` must outlive this object.
    TokenAuthenticator(sdk::Registrar& registrar, std::size_t cached_sessions);

    std::vector<sdk::CredentialPart> credential_parts() const override { return token_parts(); }
    sdk::Result<sdk::SessionPtr> authenticate(const sdk::Credential& credential) override;

private:
    sdk::Result<sdk::SessionPtr> load(const std::string& digest);
    void observe(std::string_view key);

    sdk::Registrar& registrar_;
    SessionKeys keys_;
    SessionCache cache_;
};

}  // namespace stele::identity
