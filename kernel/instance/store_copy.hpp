#pragma once

#include <filesystem>
#include <string>

#include "kernel/backup/copy.hpp"
#include "kernel/instance/instance.hpp"

namespace stele::kernel::instance {

/// A store by the folder that holds it, or by the address of its database.
struct StorePlace {
    std::string store;
    /// Where its binaries and keys lie; for a folder, that folder itself.
    std::filesystem::path data;
};

/// Copies a store with its binaries and the file of its keys. Data, of the options, is not used.
sdk::Result<backup::CopySummary> copy_store(const InstanceOptions& options, const StorePlace& from,
                                            const StorePlace& to,
                                            const backup::CopyProgress& progress);

}  // namespace stele::kernel::instance
