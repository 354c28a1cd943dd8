#pragma once

#include <cstdint>
#include <filesystem>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// Keeps writers away from the end of the disk, because what fails in the middle of LevelDB's work
/// costs more than a refusal. A reserve of 0 keeps nobody away.
class DiskGuard {
public:
    DiskGuard(std::filesystem::path folder, std::uint64_t reserve_bytes)
        : folder_(std::move(folder)), reserve_(reserve_bytes) {}

    /// Looks how much room there is.
    sdk::Result<void> refresh();
    /// Whether `bytes` more fit, as of the last look. Removals may take half of the reserve: they
    /// are the way out of a full disk.
    bool fits(std::uint64_t bytes, bool only_removes) const {
        return reserve_ == 0 || available_ >= bytes + (only_removes ? reserve_ / 2 : reserve_);
    }
    /// How much room there was at the last look, in bytes.
    std::uint64_t available() const { return available_; }
    static sdk::Error full(std::string detail);

private:
    std::filesystem::path folder_;
    std::uint64_t reserve_;
    std::uint64_t available_ = 0;
};

}  // namespace stele::kernel::storage
