#pragma once

#include <filesystem>
#include <string>

namespace stele::kernel::storage {

/// Looks at every byte of one of LevelDB's tables: checksums of all blocks, that these and what
/// points to them fill the file without a gap, and what stands between. What is wrong, with its
/// offset; empty when nothing is. Needs the memory of its largest block and of the index.
std::string scan_table(const std::filesystem::path& file, std::uint64_t expected_size);

}  // namespace stele::kernel::storage
