#include "kernel/file/sent_file.hpp"

#include <linux/magic.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

namespace stele::kernel::file {

namespace {

/// The system reads and forgets neighbours together.
constexpr std::size_t kShowing = 64 * 1024;
constexpr std::size_t kReadPiece = 256 * 1024;

bool is_byte_in_memory(int descriptor, std::uint64_t offset) {
    char byte = 0;
    iovec room{&byte, 1};
    return ::preadv2(descriptor, &room, 1, static_cast<off_t>(offset), RWF_NOWAIT) > 0;
}

/// Such file systems do not tell.
bool has_no_disk(int descriptor) {
    struct statfs found = {};
    return ::fstatfs(descriptor, &found) == 0 && found.f_type == TMPFS_MAGIC;
}

}  // namespace

bool is_in_memory(int descriptor, std::uint64_t offset, std::size_t count) {
    if (count == 0) return true;
    for (std::size_t at = 0; at < count; at += kShowing)
        if (!is_byte_in_memory(descriptor, offset + at)) return has_no_disk(descriptor);
    return is_byte_in_memory(descriptor, offset + count - 1);
}

void bring_into_memory(int descriptor, std::uint64_t offset, std::size_t count) {
    std::vector<char> piece(std::min(kReadPiece, count));
    while (count > 0) {
        const ssize_t got = ::pread(descriptor, piece.data(), std::min(piece.size(), count),
                                    static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        offset += static_cast<std::uint64_t>(got);
        count -= static_cast<std::size_t>(got);
    }
}

ssize_t send_from_file(int socket, int descriptor, std::uint64_t offset, std::size_t count) {
    auto at = static_cast<off_t>(offset);
    ssize_t sent = -1;
    do {
        sent = ::sendfile(socket, descriptor, &at, count);
    } while (sent < 0 && errno == EINTR);
    return sent;
}

bool is_failure_of_file(int error) {
    return error == EIO || error == EINVAL || error == ENOSYS || error == EOVERFLOW ||
           error == ESTALE || error == ENOMEM || error == EUCLEAN;
}

}  // namespace stele::kernel::file
