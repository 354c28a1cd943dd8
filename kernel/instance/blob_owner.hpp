#pragma once

#include <filesystem>
#include <string>

namespace stele::kernel::instance {

inline constexpr char kBinariesOwner[] = "blobs.owner";

/// Whether a store was served from a data folder: then an empty one must not take its place just
/// because it is away.
bool has_binaries_of_a_store(const std::filesystem::path& data);

/// Whether the folder of binaries in a data folder belongs to the store of that id: a file beside
/// it remembers the first store that was served with it. One that cannot be read or made says no.
bool owns_binaries(const std::filesystem::path& data, const std::string& store_id);

}  // namespace stele::kernel::instance
