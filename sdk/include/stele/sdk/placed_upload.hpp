#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/call.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// What an upload may be besides (`dynamic_cast`), and every one is that a client sent: its bytes
/// are read at any place, so that they can be looked at before they are put anywhere.
class PlacedUpload : public Upload {
public:
    ~PlacedUpload() override;

    virtual std::uint64_t size() const = 0;
    /// Replaces `out` with at most `limit` bytes from `offset`, and may read fewer; empty at the
    /// end. Wherever `read` is.
    virtual Result<void> read_at(std::uint64_t offset, std::size_t limit, std::string& out) = 0;
};

/// Some bytes of an upload, which outlives it. One thread.
class UploadBytes final : public BlobStore::Reader {
public:
    /// `size` bytes from `begin`, which the upload has.
    UploadBytes(PlacedUpload& upload, std::uint64_t begin, std::uint64_t size)
        : upload_(&upload), begin_(begin), size_(size) {}

    std::uint64_t size() const override { return size_; }
    Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override;

private:
    PlacedUpload* upload_;
    std::uint64_t begin_;
    std::uint64_t size_;
};

/// All bytes of a reader, which outlives it, from the start.
PieceSource pieces_of(BlobStore::Reader& bytes);

}  // namespace stele::sdk
