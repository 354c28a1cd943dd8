#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>

#include "session_rows.hpp"

namespace stele::sdk {
class Registrar;
}

namespace stele::identity {

/// Seconds for which new tokens are valid where the client's record says nothing.
struct Validity {
    std::int64_t access_seconds = 86400;
    std::int64_t refresh_seconds = 30 * 86400;
};

/// A pair of tokens in clear, as the token endpoint answers it.
struct IssuedTokens {
    std::string access_token;
    std::string refresh_token;
    std::string scope;
    std::int64_t expires_in_seconds = 0;
};

/// Makes, refreshes and ends tokens. They are 32 random bytes; the store has their digests only.
/// All writes go through the transaction of the given context. Any thread.
class TokenIssuer {
public:
    /// `registrar` must outlive this object.
    TokenIssuer(sdk::Registrar& registrar, Validity validity)
        : registrar_(registrar), validity_(validity) {}

    /// `actors`: who acts through the tokens. `invalid_grant` when the user is gone or disabled.
    sdk::Result<IssuedTokens> issue(sdk::Context& context, const sdk::Document& client,
                                    const sdk::Principal& principal, std::string_view scope,
                                    std::vector<Actor> actors = {});

    /// The actors of tokens that the caller, known by an access token, gets for somebody else.
    sdk::Result<std::vector<Actor>> actors_behind(sdk::Context& context,
                                                  std::string_view access_digest);

    /// Another access token for the same refresh token. `invalid_grant` when that is unknown,
    /// expired, another client's, or its user is gone or disabled.
    sdk::Result<IssuedTokens> refresh(sdk::Context& context, const sdk::Document& client,
                                      std::string_view refresh_token);

    /// Ends the access token of the digest; with `all` also its refresh token and every other
    /// access token that came from it.
    sdk::Result<void> expire(sdk::Context& context, std::string_view access_digest, bool all);

    /// Ends a refresh token, named by its digest, and every access token that came from it.
    sdk::Result<void> end_login(sdk::Context& context, std::string_view refresh_digest);

    /// The refresh token that belongs to an access token; empty when there is none any more.
    sdk::Result<std::string> refresh_token_of(sdk::Context& context, std::string_view access_token);

    /// Removes some tokens that have expired, in a transaction of its own. At most once in a while;
    /// returns at once.
    void sweep();

private:
    std::string store_access(sdk::Context& context, AccessRow row, std::string_view refresh_token);

    sdk::Registrar& registrar_;
    const Validity validity_;
    std::atomic<std::int64_t> swept_at_ms_{0};
};

}  // namespace stele::identity
