#pragma once

#include <vector>

#include "kernel/config/settings.hpp"

namespace stele::kernel::config {

/// The keys that the kernel itself understands.
std::vector<SettingInfo> kernel_settings();

}  // namespace stele::kernel::config
