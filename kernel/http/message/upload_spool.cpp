#include "kernel/http/message/upload_spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <stele/sdk/placed_upload.hpp>

namespace stele::kernel::http {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kRoomStep = 1024 * 1024;
constexpr int kOwnerOnly = 0600;

sdk::Error disk_error(const std::string& doing, int error) {
    const std::string detail = doing + ": " + file::system_reason(error);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        return sdk::make_error(sdk::ErrorKind::storage_full, "http.upload_disk_full",
                               "the server's disk has no room for the upload", detail);
    }
    return sdk::make_error(sdk::ErrorKind::unavailable, "http.upload_disk_failed",
                           "the server's disk failed", detail);
}

file::PosixFile open_unnamed(const fs::path& folder) {
    const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwnerOnly);
    if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) {
        return file::PosixFile::own(unnamed);
    }
    // The file system knows no files without names.
    std::string path = (folder / "upload.XXXXXX").string();
    const int named = ::mkostemp(path.data(), O_CLOEXEC);
    if (named >= 0) ::unlink(path.c_str());
    return file::PosixFile::own(named);
}

class SpooledUpload final : public sdk::PlacedUpload {
public:
    explicit SpooledUpload(std::shared_ptr<const UploadSpool> spool) : spool_(std::move(spool)) {}

    sdk::Result<void> read(std::string& piece) override {
        auto read = spool_->read(offset_, piece);
        if (read) offset_ += piece.size();
        return read;
    }
    std::uint64_t size() const override { return spool_->size(); }
    sdk::Result<void> read_at(std::uint64_t offset, std::size_t limit, std::string& out) override {
        return spool_->read(offset, out, limit);
    }

private:
    std::shared_ptr<const UploadSpool> spool_;
    std::uint64_t offset_ = 0;
};

}  // namespace

sdk::Result<void> prepare_upload_folder(const fs::path& folder) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    fs::directory_iterator entry;
    if (!problem) entry = fs::directory_iterator(folder, problem);
    while (!problem && entry != fs::directory_iterator()) {
        fs::remove(entry->path(), problem);
        if (!problem) entry.increment(problem);
    }
    if (!problem) return {};
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "http.upload_folder_unusable",
        "the folder for uploads " + folder.string() + " cannot be used: " + problem.message());
}

sdk::Result<void> check_upload_folder(const fs::path& folder) {
    if (open_unnamed(folder).is_open()) return {};
    const int error = errno;
    if (error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE) return {};
    return sdk::make_error(sdk::ErrorKind::unavailable, "http.upload_folder_unusable",
                           "the folder for uploads " + folder.string() +
                               " cannot be used: " + file::system_reason(error));
}

UploadSpool::UploadSpool(fs::path folder, std::uint64_t reserve)
    : folder_(std::move(folder)), reserve_(reserve) {}

sdk::Result<void> UploadSpool::append(std::string_view bytes) {
    const std::size_t kept = std::min(bytes.size(), in_memory_ - memory_.size());
    memory_ += bytes.substr(0, kept);
    bytes.remove_prefix(kept);
    if (bytes.empty()) return {};
    if (!file_.is_open()) {
        file_ = open_unnamed(folder_);
        if (!file_.is_open()) return disk_error("while making a file for an upload", errno);
    }
    return write(bytes);
}

sdk::Result<void> UploadSpool::write(std::string_view bytes) {
    if (auto room = check_room(bytes.size()); !room) return room;
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_.descriptor(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return disk_error("while writing an upload", errno);
        if (written <= 0) continue;
        file_size_ += static_cast<std::uint64_t>(written);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

sdk::Result<void> UploadSpool::check_room(std::size_t count) {
    if (count > granted_) {
        std::uint64_t available = 0;
        if (!file::available_bytes(folder_, available)) {
            return disk_error("while asking for the room on the disk", errno);
        }
        granted_ = std::max<std::uint64_t>(count, kRoomStep);
        if (available < granted_ || available - granted_ < reserve_) {
            return disk_error("less than the reserve would be left", ENOSPC);
        }
    }
    granted_ -= count;
    return {};
}

sdk::Result<void> UploadSpool::read(std::uint64_t offset, std::string& piece,
                                    std::size_t most) const {
    piece.clear();
    if (offset < memory_.size()) {
        piece.assign(memory_, static_cast<std::size_t>(offset), most);
        return {};
    }
    const std::uint64_t at = offset - memory_.size();
    piece.resize(std::min<std::uint64_t>(most, file_size_ - std::min(at, file_size_)));
    std::size_t done = 0;
    while (done < piece.size()) {
        const ssize_t count = ::pread(file_.descriptor(), piece.data() + done, piece.size() - done,
                                      static_cast<off_t>(at + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            piece.clear();
            return disk_error("while reading an upload", count == 0 ? EIO : errno);
        }
        done += static_cast<std::size_t>(count);
    }
    return {};
}

std::unique_ptr<sdk::Upload> open_upload(std::shared_ptr<const UploadSpool> spool) {
    return std::make_unique<SpooledUpload>(std::move(spool));
}

}  // namespace stele::kernel::http
