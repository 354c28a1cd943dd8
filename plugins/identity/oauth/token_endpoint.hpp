#pragma once

#include <memory>
#include <optional>
#include <string>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "authorization_codes.hpp"
#include "token/token_issuer.hpp"
#include "token/token_request.hpp"

namespace stele::sdk {
class Activities;
}

namespace stele::identity {

class LoginGuard;

/// How the ticket cookie is set.
struct TicketCookie {
    bool is_http_only = false;
    bool is_secure = false;

    /// The value of a `Set-Cookie` header; without `max_age` it lasts for the browser's session.
    std::string set(std::string_view token, std::optional<std::int64_t> max_age = {}) const;
    /// The same to make browsers forget it.
    std::string forget() const;
};

/// The reply of everything that issues tokens.
sdk::Reply token_reply(const IssuedTokens& issued, const TicketCookie& cookie,
                       std::optional<std::int64_t> ticket_max_age = {});

/// POST and GET /oauth/token.
class TokenEndpoint {
public:
    /// All must outlive this object.
    TokenEndpoint(sdk::Registrar& registrar, LoginGuard& guard, TokenIssuer& issuer,
                  AuthorizationCodes& codes, TicketCookie cookie);

    sdk::Result<sdk::Reply> run(const sdk::Call& call);

private:
    struct Request;
    static sdk::Result<Request> read(const sdk::Call& call);
    sdk::Result<IssuedTokens> grant(sdk::Context& context, const sdk::Call& call,
                                    const sdk::RecordKey& client, const Request& request);
    sdk::Error refused(const sdk::PlatformScope& platform, const sdk::Call& call,
                       const Request& request, const sdk::Error& error) const;

    sdk::Registrar& registrar_;
    LoginGuard& guard_;
    TokenIssuer& issuer_;
    AuthorizationCodes& codes_;
    const TicketCookie cookie_;
    sdk::Activities* const activities_;  ///< null where nobody keeps an audit log, as in tests
};

}  // namespace stele::identity
