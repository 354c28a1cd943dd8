#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

struct ZipLimits {
    /// Also of folders that paths name.
    std::size_t entries = 1000;
    /// What all files may expand to: so many times the archive, but never less than `least_bytes`.
    std::uint64_t expansion = 100;
    std::uint64_t least_bytes = std::uint64_t{64} << 20;
    std::uint64_t most_bytes = std::uint64_t{2} << 30;
};

/// A ZIP archive (APPNOTE 6.3) that somebody sent: files stored or deflated, neither encrypted nor
/// ZIP64. One thread at a time.
class ZipArchive {
public:
    struct Entry {
        /// With slashes, as it stands in the archive; a folder's ends with one.
        std::string path;
        std::uint16_t method = 0;
        std::uint32_t checksum = 0;
        std::uint64_t packed_size = 0;
        std::uint64_t size = 0;
        std::uint64_t offset = 0;

        bool is_folder() const { return path.ends_with('/'); }
    };

    /// Reads the directory, which is small. `invalid` (`nodes.zip_malformed`,
    /// `nodes.zip_path_unsafe`), `unsupported` (`nodes.zip_entry_unsupported`), `too_large`
    /// (`nodes.zip_too_large`) by what the directory says. The reader outlives the archive.
    static sdk::Result<ZipArchive> open(sdk::BlobStore::Reader& bytes, const ZipLimits& limits);

    const std::vector<Entry>& entries() const { return entries_; }

    /// Reads a file piece by piece (empty: the end). `invalid` (`nodes.zip_malformed`) as soon as
    /// it is not what the directory says. The archive outlives it.
    std::function<sdk::Result<void>(std::string& piece)> read(const Entry& entry);

private:
    explicit ZipArchive(sdk::BlobStore::Reader& bytes) : bytes_(&bytes) {}

    sdk::BlobStore::Reader* bytes_;
    std::vector<Entry> entries_;
};

}  // namespace stele::nodes
