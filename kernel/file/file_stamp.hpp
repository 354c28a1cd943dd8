#pragma once

#include <cstdint>
#include <optional>

namespace stele::kernel::file {

/// What changes with a file when somebody writes to it or puts another in its place.
struct FileStamp {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    std::uint64_t size = 0;
    std::int64_t written_ns = 0;
    std::int64_t changed_ns = 0;
    /// Names.
    std::uint64_t links = 0;

    bool operator==(const FileStamp&) const = default;
    /// The same, but that it may have lost its name. Whoever writes may put the time of the last
    /// write back, not that of the last change.
    bool has_bytes_of(const FileStamp& other) const {
        return device == other.device && number == other.number && size == other.size &&
               written_ns == other.written_ns &&
               (changed_ns == other.changed_ns || links < other.links);
    }
    /// Whether a write from now on cannot have the same time, however coarse the clock of the file
    /// system is.
    bool is_settled(std::int64_t now_ms) const;
};

/// Of an open file; nothing when the system does not tell.
std::optional<FileStamp> stamp_of(int descriptor);

}  // namespace stele::kernel::file
