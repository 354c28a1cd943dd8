#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include <stele/sdk/blob_store.hpp>

namespace stele::kernel::storage {

/// Whose processes may work in a folder of blobs at the same time.
enum class BlobFolderUse { by_this_host, by_hosts };

/// Storage layer 4: blobs as files in a folder, spread over 256 sub-folders. Temporary files of a
/// crash are cleaned when it is opened: those that nobody has written to for a day, and all of them
/// where only this host uses the folder and nobody else has it open.
sdk::Result<std::unique_ptr<sdk::BlobStore>> open_blob_directory(
    const std::filesystem::path& folder, std::uint64_t reserve_bytes,
    BlobFolderUse use = BlobFolderUse::by_this_host);

}  // namespace stele::kernel::storage
