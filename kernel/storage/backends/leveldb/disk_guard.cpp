#include "kernel/storage/backends/leveldb/disk_guard.hpp"

#include <cerrno>

#include "kernel/storage/posix_file.hpp"

namespace stele::kernel::storage {

sdk::Result<void> DiskGuard::refresh() {
    if (available_bytes(folder_, available_)) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "engine.disk_unreadable",
                           "The store's disk does not answer.", system_reason(errno));
}

sdk::Error DiskGuard::full(std::string detail) {
    return sdk::make_error(sdk::ErrorKind::storage_full, "engine.disk_full",
                           "The server's disk is full; nothing was stored.", std::move(detail));
}

}  // namespace stele::kernel::storage
