#pragma once

#include <cstdint>
#include <filesystem>

#include <stele/sdk/result.hpp>

#include "kernel/storage/backends/leveldb/recovery_reserve.hpp"

namespace stele::kernel::storage {

/// Room on the disk that others are kept away from, in bytes.
struct DiskReserve {
    /// Writers stay away from the end of the disk, because what fails in the middle of LevelDB's
    /// work costs more than a refusal. 0 keeps nobody away.
    std::uint64_t untouched = 0;
    /// Held by a file, for the next opening.
    std::uint64_t recovery = 0;
    /// Held by the same file, for commits that must succeed when others have filled the disk.
    std::uint64_t urgent = 0;
};

/// Keeps writers away from the end of the disk. Removals and urgent commits may take half of what
/// is left untouched, and what is held back for them: they are the way out of a full disk.
class DiskGuard {
public:
    DiskGuard(std::filesystem::path folder, DiskReserve reserve)
        : folder_(std::move(folder)), reserve_(reserve), held_(folder_) {}

    /// Looks how much room there is, and holds back again what was given away.
    sdk::Result<void> refresh();
    /// Whether `bytes` more fit, as of the last look; `stored` of them are what one commit stores,
    /// 0 where it only removes. What is held back goes to urgent commits that store little: it is
    /// everybody's, and must last for many.
    bool fits(std::uint64_t bytes, std::uint64_t stored, bool is_urgent);
    /// Whether there was more than the reserve at the last look.
    bool has_room() const { return available_ >= reserve_.untouched; }
    /// Whoever opened the folder anew has taken what is held back.
    void note_opened() { is_given_away_ = false; }
    /// How much room there was at the last look, in bytes.
    std::uint64_t available() const { return available_; }
    std::uint64_t untouched() const { return reserve_.untouched; }
    static sdk::Error full(std::string detail);

private:
    std::filesystem::path folder_;
    DiskReserve reserve_;
    RecoveryReserve held_;
    std::uint64_t available_ = 0;
    /// What was held for urgent commits is theirs now.
    bool is_given_away_ = false;
};

}  // namespace stele::kernel::storage
