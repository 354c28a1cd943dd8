#pragma once

#include <cstdint>

#include <stele/sdk/registrar.hpp>

namespace stele::identity {

/// Settings of the plugin, checked: `invalid` (`identity.setting_malformed`) that names them.
sdk::Result<std::int64_t> number_setting(sdk::Registrar& registrar, sdk::Setting setting,
                                         std::int64_t least = 1);
sdk::Result<bool> flag_setting(sdk::Registrar& registrar, sdk::Setting setting);

}  // namespace stele::identity
