#pragma once

#include <string>
#include <vector>

#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

/// The OpenAPI 3.1 document of all operations: under one path each, with its other paths in
/// `x-stele-aliases`, the plugin that offers it in `x-stele-plugin`, and `security: []` where no
/// token is needed.
std::string openapi_document(const Registry& registry, const std::vector<Route>& kernel_routes);

}  // namespace stele::kernel::resource
