#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

/// What the capability `roles` adds to a descriptor: `{I}/roles` and everything below
/// (docs/reference/teams.md).
void add_roles(sdk::ResourceDescriptor& descriptor);

}  // namespace stele::kernel::resource
