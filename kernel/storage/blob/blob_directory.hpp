#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include <stele/sdk/blob_store.hpp>

namespace stele::kernel::storage {

/// Storage layer 4: blobs as files in a folder, spread over 256 sub-folders; temporary files of a
/// crash are cleaned when it is opened and nobody else has it open.
sdk::Result<std::unique_ptr<sdk::BlobStore>> open_blob_directory(
    const std::filesystem::path& folder, std::uint64_t reserve_bytes);

}  // namespace stele::kernel::storage
