#pragma once

#include <filesystem>

namespace stele::kernel::instance {

/// Takes the rights of others from the folders that the server itself keeps in a data folder of an
/// earlier version, and warns of a data folder that others may read.
void keep_private(const std::filesystem::path& data);

}  // namespace stele::kernel::instance
