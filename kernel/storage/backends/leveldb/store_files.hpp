#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// Whether a folder holds no store at all: one that lost its beginning does hold one.
bool is_new_store(const std::filesystem::path& folder);

/// Before LevelDB opens a folder, which must be locked: refuses logs and manifests that are damaged
/// (`internal`, `store.damaged`), takes away what a crash left torn at their end, and removes the
/// seal. An empty folder is fine.
sdk::Result<void> prepare_store_files(const std::filesystem::path& folder);

/// Looks at every byte that LevelDB wrote into the folder, which nobody has open: a line for each
/// file that is not what it was. Opens and changes nothing.
std::vector<std::string> check_store_files(const std::filesystem::path& folder);

}  // namespace stele::kernel::storage
