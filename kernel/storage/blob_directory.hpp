#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// Bytes of any size, named by their content (BLAKE2b, hexadecimal), streamed both ways, on disk
/// before they are acknowledged. Storage layer 4.
class BlobStore {
public:
    virtual ~BlobStore() = default;

    /// Takes bytes piece by piece; nothing is visible before `finish`, which answers the name.
    class Writer {
    public:
        virtual ~Writer() = default;
        virtual sdk::Result<void> write(std::string_view bytes) = 0;
        virtual sdk::Result<std::string> finish() = 0;
    };
    class Reader {
    public:
        virtual ~Reader() = default;
        virtual std::uint64_t size() const = 0;
        /// Reads up to `limit` bytes from `offset` into `out` (replaced); empty at the end.
        virtual sdk::Result<void> read(std::uint64_t offset, std::size_t limit,
                                       std::string& out) = 0;
    };
    virtual sdk::Result<std::unique_ptr<Writer>> create() = 0;
    /// `not_found` (`blob.unknown`) when there is none of that name.
    virtual sdk::Result<std::unique_ptr<Reader>> open(std::string_view name) = 0;
    virtual sdk::Result<bool> exists(std::string_view name) = 0;
    virtual sdk::Result<void> remove(std::string_view name) = 0;
    virtual sdk::Result<void> for_each(const std::function<void(std::string_view name)>& visit) = 0;
};

/// Blobs as files in a folder, spread over 256 sub-folders; temporary files of a crash are cleaned
/// when it is opened.
sdk::Result<std::unique_ptr<BlobStore>> open_blob_directory(const std::filesystem::path& folder,
                                                            std::uint64_t reserve_bytes);

}  // namespace stele::kernel::storage
