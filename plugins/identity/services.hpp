#pragma once

#include <stele/sdk/result.hpp>

#include "guard/password_rules.hpp"

namespace stele::sdk {
class Registrar;
}

namespace stele::identity {

/// Reads the settings about passwords. The registrar keeps the guard.
PasswordRules open_password_rules(sdk::Registrar& registrar);

/// Reads the other settings, publishes the authenticator and the principal directory, and adds the
/// endpoints.
void open_services(sdk::Registrar& registrar, LoginGuard& guard);

}  // namespace stele::identity
