#include <stele/sdk/placed_upload.hpp>

#include <algorithm>

namespace stele::sdk {

namespace {

constexpr std::size_t kPiece = std::size_t{64} * 1024;

}  // namespace

PlacedUpload::~PlacedUpload() = default;

/// Zip readers take a short answer for the end.
Result<void> UploadBytes::read(std::uint64_t offset, std::size_t limit, std::string& out) {
    out.clear();
    const std::uint64_t left = offset < size_ ? size_ - offset : 0;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(limit, left));
    if (wanted == 0) return {};
    // Mostly that is all.
    if (auto read = upload_->read_at(begin_ + offset, wanted, out); !read) return read;
    if (out.empty()) return {};
    std::string piece;
    while (out.size() < wanted) {
        const std::uint64_t at = begin_ + offset + out.size();
        if (auto read = upload_->read_at(at, wanted - out.size(), piece); !read) return read;
        if (piece.empty()) return {};
        out += piece;
    }
    return {};
}

PieceSource pieces_of(BlobStore::Reader& bytes) {
    return [&bytes, at = std::uint64_t{0}](std::string& piece) mutable -> Result<void> {
        if (auto read = bytes.read(at, kPiece, piece); !read) return read;
        at += piece.size();
        return {};
    };
}

}  // namespace stele::sdk
