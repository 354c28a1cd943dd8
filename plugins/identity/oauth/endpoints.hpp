#pragma once

namespace stele::sdk {
class Registrar;
}

namespace stele::identity {

class AuthEndpoints;
class AuthorizeEndpoint;
class TokenEndpoint;

/// Adds `/oauth`, `/auth` and `/ping`. All must live until the process ends.
void add_endpoints(sdk::Registrar& registrar, TokenEndpoint& token, AuthorizeEndpoint& authorize,
                   AuthEndpoints& auth);

}  // namespace stele::identity
