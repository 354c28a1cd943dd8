#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/zip.hpp>

#include "zip/byte_window.hpp"

namespace stele::sdk::zip {

/// Where the directory of an archive lies, and how many entries it announces.
struct DirectoryPlace {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint64_t count = 0;

    std::uint64_t end() const { return begin + size; }
};

/// Reads the records that an archive ends with. The directory lies directly before them and is long
/// enough for its entries. `invalid` (`zip.malformed`), `unsupported` (`zip.entry_unsupported`) of
/// an archive of several volumes.
Result<DirectoryPlace> find_directory(BlobStore::Reader& bytes);

struct DirectoryEntry {
    ZipEntry entry = {};
    /// Of the next one in the directory.
    std::uint64_t next = 0;
    /// The entry's header, name and bytes reach to here, or further.
    std::uint64_t least_end = 0;
};

/// The entry at a position of the directory, each of its fields checked for itself; errors as of
/// `ZipReader::open`.
Result<DirectoryEntry> entry_at(ByteWindow& directory, const DirectoryPlace& place,
                                std::uint64_t position);
/// Where the header of that entry lies in the archive, no more of it checked.
Result<std::uint64_t> offset_at(ByteWindow& directory, std::uint64_t position);

/// Takes numbers out of the ZIP64 extra field among `extra`, in their order, for those of `numbers`
/// that say that they are there; `invalid` (`zip.malformed`) when they are not.
Result<void> take_zip64_numbers(std::string_view extra,
                                std::initializer_list<std::uint64_t*> numbers);

}  // namespace stele::sdk::zip
