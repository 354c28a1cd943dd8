#pragma once

#include <filesystem>

#include <stele/sdk/sealer.hpp>

#include "kernel/config/settings.hpp"

namespace stele::kernel::http {

/// The sealer of a server: its key comes from the setting `secrets.key`, else from the file
/// `secrets.key` in the data folder, which is made (readable by its owner only) when missing.
sdk::Result<sdk::Sealer> open_secret_keys(const config::Settings& settings,
                                          const std::filesystem::path& data);

}  // namespace stele::kernel::http
