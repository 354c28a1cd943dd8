#pragma once

#include <cstdint>
#include <filesystem>

namespace stele::kernel::storage {

/// A file that only holds room on the disk. LevelDB writes while it opens: it turns its log into a
/// table before it removes what an unfinished compaction left behind. Giving this room back first
/// lets a store open on a disk that was filled up since.
class RecoveryReserve {
public:
    explicit RecoveryReserve(const std::filesystem::path& folder);

    /// Gives the room back; before LevelDB opens the folder.
    void release() const;
    /// Takes `bytes` again, or nothing when the disk has no room for all of them: the store works
    /// without it, and the next opening is as safe as the disk's room makes it.
    void take(std::uint64_t bytes) const;

private:
    std::filesystem::path file_;
};

}  // namespace stele::kernel::storage
