#pragma once

#include <string>
#include <vector>

#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

/// The OpenAPI 3.1 document of all routes: operation, parameters, body, the plugin that offers each
/// (`x-stele-plugin`), and `security: []` on those that need no token.
std::string openapi_document(const Registry& registry, const std::vector<Route>& kernel_routes);

}  // namespace stele::kernel::resource
