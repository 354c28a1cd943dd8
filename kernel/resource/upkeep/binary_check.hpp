#pragma once

#include <string>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {
class BlobProviders;
}

namespace stele::kernel::resource {

struct Services;

/// Reads every binary of every place and compares it with its name; a line for each that is not
/// what was stored, or cannot be read.
void check_binaries(storage::BlobProviders& binaries, std::vector<std::string>& differences);

/// Whether the binaries that records name are there, without reading them. One that is not is noted
/// as damage (`BlobProviders::damage`). Nobody may remove any meanwhile
/// (`Services::keeping_blobs`).
sdk::Result<void> find_missing_binaries(Services& services);

}  // namespace stele::kernel::resource
