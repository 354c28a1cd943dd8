#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

/// The file format of backups (docs/reference/backup-format.md): a line that names it, then frames.
/// A frame is its kind (one byte), the length of its content (four bytes, little endian), the
/// content, and a checksum over these and the checksum of the frame before (BLAKE2b, 16 bytes). So
/// no frame can be changed, lost, added or moved unnoticed, and the last one says that it is all.
namespace stele::kernel::backup {

inline constexpr std::string_view kMagic = "stele backup 1\n";
inline constexpr int kFormat = 1;

enum class FrameKind : char {
    header = 'H',      ///< JSON: what this is a backup of
    secrets = 'K',     ///< the keys that seal secrets, as the file `secrets.key` has them
    entries = 'E',     ///< entries of the store, in key order: length, length, key, value
    blob_begin = 'B',  ///< JSON: provider, name and size of a blob
    blob_data = 'D',   ///< the next bytes of it
    end = 'Z',         ///< JSON: how many entries and blobs there were
};

/// Where a backup is written to, piece by piece.
using Sink = std::function<sdk::Result<void>(std::string_view bytes)>;
/// Where it is read from: fills `out` (replaced) with up to `limit` bytes; none at the end.
using Source = std::function<sdk::Result<void>(std::size_t limit, std::string& out)>;

inline constexpr std::size_t kChecksumSize = 16;
using Checksum = std::array<unsigned char, kChecksumSize>;

class FrameWriter {
public:
    explicit FrameWriter(Sink sink) : sink_(std::move(sink)) {}

    sdk::Result<void> begin() { return sink_(kMagic); }
    sdk::Result<void> write(FrameKind kind, std::string_view content);
    sdk::Result<void> write_json(FrameKind kind, const sdk::Json& content);

private:
    Sink sink_;
    Checksum last_{};
    std::string frame_;
};

class FrameReader {
public:
    explicit FrameReader(Source source) : source_(std::move(source)) {}

    struct Frame {
        FrameKind kind = FrameKind::end;
        std::string content;
    };
    /// `invalid` (`backup.format_unknown`) when this is no backup, or one of another version.
    sdk::Result<void> begin();
    /// `invalid` (`backup.damaged`) when the backup ends before its end, or was changed.
    sdk::Result<void> read(Frame& frame);

private:
    sdk::Result<void> fill(std::size_t size, std::string& out);

    Source source_;
    Checksum last_{};
    std::string buffer_;
    std::size_t used_ = 0;
};

/// Appends one entry to the content of a frame, and takes one off its front; false when what is
/// there is none.
void append_entry(std::string& content, std::string_view key, std::string_view value);
bool take_entry(std::string_view& content, std::string_view& key, std::string_view& value);

sdk::Error damaged(const std::string& what);

}  // namespace stele::kernel::backup
