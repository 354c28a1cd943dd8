#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/registrar.hpp>

namespace stele::platform {

/// On the first platform the application `default`. On a tenant's: a stack, and the applications of
/// its console and its user interface.
sdk::Result<void> install_applications(sdk::Registrar& registrar, sdk::Context& context);

}  // namespace stele::platform
