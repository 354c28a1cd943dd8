#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/registrar.hpp>

namespace stele::platform {

/// On a tenant's platform: a stack, and the applications of its console and its user interface. On
/// the first platform nothing.
sdk::Result<void> install_applications(sdk::Registrar& registrar, sdk::Context& context);

}  // namespace stele::platform
