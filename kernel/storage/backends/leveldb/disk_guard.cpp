#include "kernel/storage/backends/leveldb/disk_guard.hpp"

#include <cerrno>

#include <stele/sdk/log.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::storage {

namespace {

/// How many urgent commits share what is held back, at least.
constexpr std::uint64_t kHeldShares = 32;

}  // namespace

sdk::Result<void> DiskGuard::refresh() {
    if (!file::available_bytes(folder_, available_)) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "engine.disk_unreadable",
                               "The store's disk does not answer.", file::system_reason(errno));
    }
    if (is_given_away_ && available_ >= reserve_.untouched + 2 * reserve_.urgent) {
        is_given_away_ = false;
        held_.take(reserve_.recovery + reserve_.urgent);
        available_ -= reserve_.urgent;
    }
    return {};
}

bool DiskGuard::fits(std::uint64_t bytes, std::uint64_t stored, bool is_urgent) {
    const std::uint64_t untouched = reserve_.untouched;
    if (untouched == 0 || available_ >= bytes + untouched) return true;
    if (!is_urgent) return false;
    if (available_ >= bytes + untouched / 2) return true;
    if (reserve_.urgent == 0 || stored > reserve_.urgent / kHeldShares) return false;
    if (!is_given_away_) {
        is_given_away_ = true;
        held_.shrink(reserve_.recovery);
        sdk::log(sdk::LogLevel::warning, "storage",
                 "what was held back on the disk is given to removals and logins");
        if (!file::available_bytes(folder_, available_)) return false;
    }
    // LevelDB needs some for itself, to bring a full buffer into a table.
    return available_ >= bytes + reserve_.urgent / 2;
}

sdk::Error DiskGuard::full(std::string detail) {
    return sdk::make_error(sdk::ErrorKind::storage_full, "engine.disk_full",
                           "The server's disk is full; nothing was stored.", std::move(detail));
}

}  // namespace stele::kernel::storage
