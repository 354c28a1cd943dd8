#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <zlib.h>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/zip.hpp>

#include "zip/byte_window.hpp"

namespace stele::sdk::zip {

/// The bytes of one entry, checked as they come. One thread; `bytes` outlives it.
class EntrySource {
public:
    EntrySource(BlobStore::Reader& bytes, ZipEntry entry);
    ~EntrySource();
    EntrySource(const EntrySource&) = delete;
    EntrySource& operator=(const EntrySource&) = delete;

    /// As a `PieceSource`; after a failure it fails the same way again.
    Result<void> read(std::string& piece);

private:
    Result<void> begin();
    Result<void> check_head(std::string_view head, std::string_view name, std::string_view extra);
    Result<void> check_numbers(std::string_view head, std::string_view extra);
    Result<void> read_some(std::string& piece);
    Result<void> read_stored(std::string& piece);
    Result<void> read_deflated(std::string& piece);
    Result<void> feed();
    Error differs(const char* how) const;

    ZipEntry entry_;
    ByteWindow window_;
    z_stream stream_{};
    bool is_begun_ = false;
    bool has_inflater_ = false;
    bool is_ended_ = false;
    /// Where the packed bytes that were not taken yet begin, and how many they are.
    std::uint64_t next_ = 0;
    std::uint64_t left_ = 0;
    std::uint64_t size_ = 0;
    uLong checksum_ = 0;
    std::optional<Error> failure_;
};

}  // namespace stele::sdk::zip
