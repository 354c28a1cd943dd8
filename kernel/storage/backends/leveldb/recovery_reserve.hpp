#pragma once

#include <cstdint>
#include <filesystem>

namespace stele::kernel::storage {

/// A file that only holds room on the disk. LevelDB writes while it opens: it turns its log into a
/// table before it removes what an unfinished compaction left behind. Giving this room back first
/// lets a store open on a disk that was filled up since. Part of it may be given away earlier.
class RecoveryReserve {
public:
    explicit RecoveryReserve(const std::filesystem::path& folder);

    /// Gives the room back; before LevelDB opens the folder.
    void release() const;
    /// Takes `bytes`, or as much of them as the disk has room for, but for `left` bytes.
    void take(std::uint64_t bytes, std::uint64_t left = 0) const;
    /// Gives back what it holds beyond `bytes`.
    void shrink(std::uint64_t bytes) const;

private:
    std::filesystem::path file_;
};

}  // namespace stele::kernel::storage
