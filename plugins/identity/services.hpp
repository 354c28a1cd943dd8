#pragma once

#include <stele/sdk/result.hpp>

namespace stele::sdk {
class Registrar;
}

namespace stele::identity {

/// Reads the settings, publishes the authenticator and the principal directory, and adds the
/// endpoints. Once per process.
sdk::Result<void> open_services(sdk::Registrar& registrar);

}  // namespace stele::identity
