#pragma once

#include <string_view>

#include "kernel/backup/copy.hpp"

namespace stele::kernel::backup {

/// Compares two stores by the counts and digests of their key ranges, `ignored` of the target left
/// out, and each blob of the source with the target's, byte by byte. Counts them in `summary`.
sdk::Result<void> compare_stores(const CopySide& source, const CopySide& target,
                                 std::string_view ignored, CopySummary& summary);

}  // namespace stele::kernel::backup
