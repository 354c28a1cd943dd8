#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/result.hpp>

#include "kernel/storage/document_store.hpp"

namespace stele::kernel::resource {

/// Compares the teams of a platform with the records that they belong to, and with their groups;
/// one line per difference.
sdk::Result<void> check_teams(storage::DocumentStore& documents, const sdk::Reader& reader,
                              std::uint64_t platform, std::vector<std::string>& differences);

}  // namespace stele::kernel::resource
