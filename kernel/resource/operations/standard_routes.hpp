#pragma once

#include <string>
#include <vector>

#include "kernel/resource/registry/registry.hpp"

namespace stele::kernel::resource {

/// The routes of the standard operations with all their aliases
/// (docs/specification/interface.md 5.2), below a path of the collection. Trailing slashes are the
/// router's matter.
void add_standard_routes(const RegisteredResource& resource, const std::string& collection,
                         std::vector<Route>& routes);
void add_action_routes(const RegisteredResource& resource, const std::string& collection,
                       std::vector<Route>& routes);
/// Both of these, below the collection's path and below its other words.
void add_family_routes(const RegisteredResource& resource, std::vector<Route>& routes);
/// Operations on the platform's root record, whose instance path is empty: rights, export, import.
void add_platform_routes(const RegisteredResource& platform, std::vector<Route>& routes);
Route endpoint_route(const std::string& plugin_id, const sdk::Endpoint& endpoint);
/// The same, and those of its other paths.
void add_endpoint_routes(const std::string& plugin_id, const sdk::Endpoint& endpoint,
                         std::vector<Route>& routes);

}  // namespace stele::kernel::resource
