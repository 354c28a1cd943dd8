#pragma once

#include <vector>

#include <stele/sdk/credentials.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Turns a request's credential into a session. Published by the plugin that issues tokens;
/// without one, every operation but the open ones answers 401.
class Authenticator {
public:
    virtual ~Authenticator();

    /// The parts of a request that are looked at, the one that wins first. Asked for once, before
    /// serving begins.
    virtual std::vector<CredentialPart> credential_parts() const = 0;

    /// `credential` is that of the first of the parts that is there and not empty.
    /// `unauthenticated` with protocol error `invalid_token` for none, and for anything that is not
    /// a valid, unexpired, unrevoked token (docs/specification/platform.md 2.3). Any thread; on the
    /// hot path: a known token costs one hash look-up. A revoked token fails from the next request
    /// on.
    virtual Result<SessionPtr> authenticate(const Credential& credential) = 0;
};

}  // namespace stele::sdk
