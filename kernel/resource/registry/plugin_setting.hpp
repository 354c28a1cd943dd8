#pragma once

#include <string>

#include <stele/sdk/registrar.hpp>

#include "kernel/config/settings.hpp"

namespace stele::kernel::resource {

/// Declares a plugin's setting and reads it as `sdk::Registrar::setting` answers it; `invalid`
/// (`config.value_invalid`) when the value does not fit.
sdk::Result<std::string> read_plugin_setting(config::Settings& settings,
                                             const std::string& plugin_id,
                                             const sdk::Setting& setting);

}  // namespace stele::kernel::resource
