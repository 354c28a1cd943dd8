#pragma once

#include <string_view>

#include "kernel/resource/registry/kernel_action.hpp"

namespace stele::kernel::resource {

/// What the capability `data_store` adds to a family: fields before its own.
void add_data_store_fields(sdk::ResourceDescriptor& descriptor);
/// The operations lock, unlock, stats, info and activities.
KernelActions data_store_actions(std::string_view type);

}  // namespace stele::kernel::resource
