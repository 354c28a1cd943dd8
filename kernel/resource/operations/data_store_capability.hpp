#pragma once

#include <stele/sdk/descriptor.hpp>

namespace stele::kernel::resource {

/// What the capability `data_store` adds to a descriptor: fields before the family's own, and the
/// operations lock, unlock, stats, info and activities behind its own.
void add_data_store(sdk::ResourceDescriptor& descriptor);

}  // namespace stele::kernel::resource
