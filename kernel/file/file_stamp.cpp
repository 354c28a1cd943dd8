#include "kernel/file/file_stamp.hpp"

#include <sys/stat.h>

namespace stele::kernel::file {

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
/// File systems that keep no fractions keep every second one at worst.
constexpr std::int64_t kCoarsestMs = 2000;

std::int64_t ns_of(const timespec& time) {
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    return static_cast<std::int64_t>(time.tv_sec) * kNsPerSecond + time.tv_nsec;
}

}  // namespace

bool FileStamp::is_settled(std::int64_t now_ms) const {
    return written_ns / kNsPerMs + kCoarsestMs < now_ms;
}

std::optional<FileStamp> stamp_of(int descriptor) {
    struct stat found = {};
    if (::fstat(descriptor, &found) != 0) return std::nullopt;
    return FileStamp{.device = static_cast<std::uint64_t>(found.st_dev),
                     .number = static_cast<std::uint64_t>(found.st_ino),
                     .size = static_cast<std::uint64_t>(found.st_size),
                     .written_ns = ns_of(found.st_mtim),
                     .changed_ns = ns_of(found.st_ctim),
                     .links = static_cast<std::uint64_t>(found.st_nlink)};
}

}  // namespace stele::kernel::file
