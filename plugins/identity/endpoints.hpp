#pragma once

namespace stele::sdk {
class Registrar;
}

namespace stele::identity {

class AuthEndpoints;
class TokenEndpoint;

/// Adds `/oauth`, `/auth` and `/ping`. Both must live until the process ends.
void add_endpoints(sdk::Registrar& registrar, TokenEndpoint& token, AuthEndpoints& auth);

}  // namespace stele::identity
