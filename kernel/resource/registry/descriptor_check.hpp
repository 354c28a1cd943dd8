#pragma once

#include <string>
#include <vector>

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

/// Whether a descriptor is complete and consistent by itself; fails with `invalid`
/// (`plugin.descriptor_incomplete`) and a sentence that names plugin, type and member.
sdk::Result<void> check_descriptor(const std::string& plugin_id,
                                   const sdk::ResourceDescriptor& descriptor);

/// The same for an endpoint; its own path is the first.
sdk::Result<void> check_endpoint(const std::string& plugin_id, const std::string& method,
                                 const std::vector<std::string>& paths, bool has_run);

}  // namespace stele::kernel::resource
