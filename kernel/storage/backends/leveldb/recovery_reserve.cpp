#include "kernel/storage/backends/leveldb/recovery_reserve.hpp"

#include <fcntl.h>

#include <system_error>

#include "kernel/storage/posix_file.hpp"

namespace stele::kernel::storage {

RecoveryReserve::RecoveryReserve(const std::filesystem::path& folder)
    : file_(folder / "stele.reserve") {}

void RecoveryReserve::release() const {
    std::error_code absent;
    std::filesystem::remove(file_, absent);
}

void RecoveryReserve::take(std::uint64_t bytes) const {
    bool is_taken = false;
    {
        const PosixFile file(file_, O_RDWR | O_CREAT | O_TRUNC);
        is_taken = file.is_open() &&
                   ::posix_fallocate(file.descriptor(), 0, static_cast<off_t>(bytes)) == 0;
    }
    if (!is_taken) release();
}

}  // namespace stele::kernel::storage
