#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "token/token_issuer.hpp"
#include "token_endpoint.hpp"

namespace stele::identity {

/// What holders of a token may ask about it and do with it.
class AuthEndpoints {
public:
    /// `issuer` must outlive this object.
    AuthEndpoints(TokenIssuer& issuer, TicketCookie cookie) : issuer_(issuer), cookie_(cookie) {}

    /// GET /auth/info : who the caller is, and the tokens that belong to the presented one.
    sdk::Result<sdk::Reply> info(const sdk::Call& call);
    /// POST /auth/expire?all=
    sdk::Result<sdk::Reply> expire(const sdk::Call& call);
    /// POST /auth/impersonate/{domainId}/{principalId}
    sdk::Result<sdk::Reply> impersonate(const sdk::Call& call);
    /// GET /ping
    sdk::Result<sdk::Reply> ping(const sdk::Call& call);

private:
    TokenIssuer& issuer_;
    const TicketCookie cookie_;
};

}  // namespace stele::identity
