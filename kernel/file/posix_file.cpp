#include "kernel/file/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace stele::kernel::file {

namespace {

constexpr mode_t kFileMode = 0600;
constexpr mode_t kFolderMode = 0700;
/// Nobody else answers this for a file.
constexpr int kNotAFile = EMEDIUMTYPE;

bool is_file(int descriptor) {
    struct stat found = {};
    if (::fstat(descriptor, &found) != 0) return false;
    if (S_ISREG(found.st_mode)) return true;
    errno = kNotAFile;
    return false;
}

}  // namespace

PosixFile::PosixFile(const std::filesystem::path& path, int flags) {
    const bool is_read = (flags & (O_ACCMODE | O_DIRECTORY)) == O_RDONLY;
    if (is_read) flags |= O_NONBLOCK;
    do {
        descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, kFileMode);
    } while (descriptor_ == kClosed && errno == EINTR);
    if (!is_read || !is_open() || is_file(descriptor_)) return;
    const int reason = errno;
    ::close(std::exchange(descriptor_, kClosed));
    errno = reason;
}

PosixFile PosixFile::own(int descriptor) {
    PosixFile file;
    file.descriptor_ = descriptor;
    return file;
}

PosixFile::~PosixFile() {
    if (is_open()) ::close(descriptor_);
}

bool sync_folder(const std::filesystem::path& folder) {
    const PosixFile file(folder, O_RDONLY | O_DIRECTORY);
    return file.is_open() && ::fsync(file.descriptor()) == 0;
}

bool create_folder(const std::filesystem::path& folder) {
    struct stat found = {};
    if (::stat(folder.c_str(), &found) == 0) {
        if (S_ISDIR(found.st_mode)) return true;
        errno = ENOTDIR;
        return false;
    }
    if (errno != ENOENT) return false;
    const std::filesystem::path parent =
        folder.has_parent_path() && folder.parent_path() != folder ? folder.parent_path() : ".";
    // "a/b/" has the parent "a/b".
    if (!folder.has_filename()) return create_folder(parent);
    if (!create_folder(parent)) return false;
    if (::mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) return false;
    return sync_folder(parent);
}

bool available_bytes(const std::filesystem::path& folder, std::uint64_t& bytes) {
    struct statvfs disk = {};
    if (::statvfs(folder.c_str(), &disk) != 0) return false;
    bytes = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
    return true;
}

bool is_not_a_file(int error) {
    // A socket cannot be opened.
    return error == kNotAFile || error == ENXIO;
}

std::string system_reason(int error) {
    if (is_not_a_file(error)) return "it is not a file";
    return std::generic_category().message(error);
}

}  // namespace stele::kernel::file
