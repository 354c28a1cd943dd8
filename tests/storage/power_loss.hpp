#pragma once

#include <filesystem>

namespace stele::testing {

/// Which names a folder has after a loss of power.
enum class NamesKept {
    all,
    synced,  ///< those that it had when it was last synced; it must have been
};

/// Copies a folder as its disk would have it if the power failed now: each file ends where it ended
/// when it was last synced, one that never was is empty. Killing the process shows nothing of this,
/// because the operating system still has what was written. Only what this process has synced
/// counts. Waits for a moment in which nothing changes in the folder.
void copy_after_power_loss(const std::filesystem::path& folder, const std::filesystem::path& copy,
                           NamesKept names = NamesKept::all);

/// While it lives nothing that this process writes comes to the disk, which says that it is full.
/// The operating system has it all the same.
class FailingSyncs {
public:
    FailingSyncs();
    ~FailingSyncs();
    FailingSyncs(const FailingSyncs&) = delete;
    FailingSyncs& operator=(const FailingSyncs&) = delete;
};

}  // namespace stele::testing
