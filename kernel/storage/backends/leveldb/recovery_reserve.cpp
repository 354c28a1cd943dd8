#include "kernel/storage/backends/leveldb/recovery_reserve.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <stele/sdk/log.hpp>

#include "kernel/file/posix_file.hpp"

namespace stele::kernel::storage {

RecoveryReserve::RecoveryReserve(const std::filesystem::path& folder)
    : file_(folder / "stele.reserve") {}

void RecoveryReserve::release() const {
    std::error_code absent;
    std::filesystem::remove(file_, absent);
}

void RecoveryReserve::take(std::uint64_t bytes, std::uint64_t left) const {
    const file::PosixFile file(file_, O_RDWR | O_CREAT);
    std::uint64_t available = 0;
    std::error_code problem;
    const std::uint64_t held = file.is_open() ? std::filesystem::file_size(file_, problem) : 0;
    if (!file.is_open() || problem || !file::available_bytes(file_.parent_path(), available))
        return;
    available -= std::min(available, left);
    bytes = std::max(held, std::min(bytes, held + available));
    if (bytes == 0) return release();
    if (::posix_fallocate(file.descriptor(), 0, static_cast<off_t>(bytes)) != 0) {
        sdk::log(sdk::LogLevel::warning, "storage",
                 "no room can be held back on the disk for " + file_.parent_path().string());
        return shrink(held);
    }
}

void RecoveryReserve::shrink(std::uint64_t bytes) const {
    if (bytes == 0) return release();
    std::error_code problem;
    if (std::filesystem::file_size(file_, problem) > bytes && !problem)
        std::filesystem::resize_file(file_, bytes, problem);
    if (problem && problem != std::errc::no_such_file_or_directory) {
        sdk::log(sdk::LogLevel::warning, "storage",
                 file_.string() + " cannot be shortened: " + problem.message());
    }
}

}  // namespace stele::kernel::storage
