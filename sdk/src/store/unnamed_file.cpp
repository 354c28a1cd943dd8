#include <stele/sdk/unnamed_file.hpp>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace stele::sdk {

namespace {

namespace fs = std::filesystem;

constexpr int kOwnerOnly = 0600;
constexpr std::size_t kPiece = std::size_t{64} * 1024;
constexpr std::uint64_t kRoomStep = std::uint64_t{1} << 20;

std::atomic<std::uint64_t> reserve = 0;

Error disk_error(const std::string& doing, int error) {
    const std::string detail = doing + ": " + std::generic_category().message(error);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        return make_error(ErrorKind::storage_full, "zip.disk_full",
                          "the server's disk has no room for what it has to keep for a moment",
                          detail);
    }
    return make_error(ErrorKind::unavailable, "zip.disk_failed", "the server's disk failed",
                      detail);
}

int open_unnamed(const fs::path& folder) {
    const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
    if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
    // The file system knows no files without names.
    std::string path = (folder / "zip.XXXXXX").string();
    const int named = ::mkostemp(path.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(path.c_str());
    return named;
}

}  // namespace

fs::path scratch_folder_in(const fs::path& data_folder) {
    if (data_folder.empty()) return {};
    fs::path folder = data_folder / "transfers";
    std::error_code problem;
    fs::create_directories(folder, problem);
    return folder;
}

void UnnamedFile::set_reserve(std::uint64_t bytes) {
    reserve = bytes;
}

Result<UnnamedFile> UnnamedFile::open(const fs::path& folder) {
    const int descriptor = open_unnamed(folder);
    if (descriptor < 0) return disk_error("while making a file in " + folder.string(), errno);
    return UnnamedFile(descriptor);
}

UnnamedFile::~UnnamedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

UnnamedFile::UnnamedFile(UnnamedFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      granted_(other.granted_),
      written_(other.written_),
      waiting_(std::move(other.waiting_)) {}

UnnamedFile& UnnamedFile::operator=(UnnamedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(granted_, other.granted_);
    std::swap(written_, other.written_);
    std::swap(waiting_, other.waiting_);
    return *this;
}

Result<void> UnnamedFile::append(std::string_view bytes) {
    waiting_ += bytes;
    return waiting_.size() < kPiece ? Result<void>() : write_waiting();
}

Result<void> UnnamedFile::write_waiting() {
    if (auto written = write_at(written_, waiting_); !written) return written;
    written_ += waiting_.size();
    waiting_.clear();
    return {};
}

Result<void> UnnamedFile::write(std::uint64_t offset, std::string_view bytes) {
    if (auto written = write_waiting(); !written) return written;
    if (auto written = write_at(offset, bytes); !written) return written;
    written_ = std::max<std::uint64_t>(written_, offset + bytes.size());
    return {};
}

Result<void> UnnamedFile::check_room(std::size_t count) {
    if (count > granted_) {
        struct statvfs disk {};
        if (::fstatvfs(descriptor_, &disk) != 0)
            return disk_error("while asking for the room on the disk", errno);
        granted_ = std::max<std::uint64_t>(count, kRoomStep);
        const std::uint64_t available = std::uint64_t{disk.f_bavail} * disk.f_frsize;
        if (reserve > 0 && (available < granted_ || available - granted_ < reserve)) {
            granted_ = 0;
            return disk_error("less than the reserve would be left", ENOSPC);
        }
    }
    granted_ -= count;
    return {};
}

Result<void> UnnamedFile::write_at(std::uint64_t offset, std::string_view bytes) {
    if (auto room = check_room(bytes.size()); !room) return room;
    while (!bytes.empty()) {
        const ssize_t written =
            ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno != EINTR)
            return disk_error("while writing a file without a name", errno);
        if (written <= 0) continue;
        bytes.remove_prefix(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
    return {};
}

Result<void> UnnamedFile::read(std::uint64_t offset, std::string& piece, std::size_t most) const {
    piece.clear();
    if (offset >= written_) {
        const std::uint64_t behind = std::min<std::uint64_t>(offset - written_, waiting_.size());
        piece = waiting_.substr(static_cast<std::size_t>(behind), most);
        return {};
    }
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, written_ - offset)));
    std::size_t done = 0;
    while (done < piece.size()) {
        const ssize_t count = ::pread(descriptor_, piece.data() + done, piece.size() - done,
                                      static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            const int error = count == 0 ? EIO : errno;
            piece.clear();
            return disk_error("while reading a file without a name", error);
        }
        done += static_cast<std::size_t>(count);
    }
    return {};
}

}  // namespace stele::sdk
