#pragma once

#include <string_view>

#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Credentials of one request; empty where absent. `bearer` wins over the tickets.
struct Credentials {
    std::string_view bearer;  ///< `Authorization: Bearer …`, or query parameter `access_token`
    std::string_view ticket_header;  ///< header `GITANA_TICKET`, percent-decoding still to be done
    std::string_view ticket_cookie;  ///< cookie `GITANA_TICKET`
};

/// Turns a request's credentials into a session. Published by the plugin that issues tokens;
/// without one, every operation but the open ones answers 401.
class Authenticator {
public:
    virtual ~Authenticator();

    /// `unauthenticated` with protocol error `invalid_token` for anything that is not a valid,
    /// unexpired, unrevoked token (docs/specification/platform.md 2.3). Any thread; on the hot
    /// path: a known token costs one hash look-up. A revoked token fails from the next request on.
    virtual Result<SessionPtr> authenticate(const Credentials& credentials) = 0;
};

}  // namespace stele::sdk
