#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>

#include "token/token_issuer.hpp"

namespace stele::identity {

/// `error.code` of the attempt to use an authorization code again.
inline constexpr char kCodeReused[] = "identity.authentication_code_reused";

/// What a code is bound to, beside its client and its user.
struct CodeBinding {
    std::string redirect_uri;
    /// Whether the request for the code named the address; it need not where there is only one.
    bool is_uri_named = true;
    std::string scope;
    /// PKCE (RFC 7636): the verifier itself or its SHA-256; empty: none was given.
    std::string challenge;
    bool is_challenge_hashed = false;
};

/// What a client sends to change a code for tokens.
struct CodeClaim {
    std::string code;
    std::string redirect_uri;
    std::string verifier;
};

/// Authorization codes (RFC 6749, 4.1): 32 random bytes, good once, for seconds; the store has
/// their digests only. All writes go through the transaction of the given context. Any thread.
class AuthorizationCodes {
public:
    /// `issuer` must outlive this object.
    AuthorizationCodes(TokenIssuer& issuer, std::int64_t seconds)
        : issuer_(issuer), seconds_(seconds) {}

    sdk::Result<std::string> issue(sdk::Context& context, const sdk::Document& client,
                                   const sdk::Principal& user, const CodeBinding& binding);

    /// The tokens for a code. `invalid_grant` when it is unknown, expired, used (`kCodeReused`),
    /// another client's, or does not fit the claim, or its user is gone or disabled.
    sdk::Result<IssuedTokens> redeem(sdk::Context& context, const sdk::Document& client,
                                     const CodeClaim& claim);

    /// Ends the tokens that a code was changed for: whoever came second may have been robbed of it.
    sdk::Result<void> revoke(sdk::Context& context, std::string_view code);

private:
    TokenIssuer& issuer_;
    const std::int64_t seconds_;
};

}  // namespace stele::identity
