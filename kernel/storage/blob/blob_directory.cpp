#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/file_reader.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/blob/blob_digest.hpp"
#include "kernel/storage/blob/blob_directory.hpp"

namespace stele::kernel::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlobNameSize = 64;
constexpr std::size_t kSpreadSize = 2;
constexpr int kSpread = 256;
constexpr char kUnfinished[] = "unfinished";
/// As many random bytes tell unfinished blobs of one opening from those of another.
constexpr std::size_t kOwnNameBytes = 8;
/// Of sub-folders that hosts share; no name of a blob.
constexpr char kLockFile[] = "lock";
/// Unfinished blobs that nobody has written to for so long are what a crash left, whoever's.
constexpr std::int64_t kAbandonedMs = std::int64_t{24} * 3600 * 1000;
/// The room on the disk is looked at again after as many bytes.
constexpr std::uint64_t kRoomStep = 1024 * 1024;

sdk::Error disk_error(const std::string& doing, int error) {
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        return sdk::make_error(sdk::ErrorKind::storage_full, "blob.disk_full",
                               "The server's disk is full; nothing was stored.",
                               doing + ": " + file::system_reason(error));
    }
    return sdk::make_error(sdk::ErrorKind::unavailable, "blob.disk_failed",
                           "The server's disk failed.", doing + ": " + file::system_reason(error));
}

sdk::Error unknown_blob(std::string_view name) {
    return sdk::make_error(sdk::ErrorKind::not_found, "blob.unknown", "There are no such bytes.",
                           "blob " + std::string(name));
}

bool is_blob_name(std::string_view name) {
    return name.size() == kBlobNameSize &&
           name.find_first_not_of(sdk::kHexDigits) == std::string_view::npos;
}

/// One of `kSpread`, named by its number.
fs::path spread_folder(const fs::path& folder, int number) {
    const char byte = static_cast<char>(number);
    return folder / sdk::hex_text({&byte, 1});
}

fs::path path_of(const fs::path& folder, std::string_view name) {
    return folder / name.substr(0, kSpreadSize) / name;
}

/// 0, or why the file or folder is not locked as `flock` is told.
int lock_file(const file::PosixFile& file, int how) {
    while (::flock(file.descriptor(), how) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/// Whether the disk knows no locks.
bool cannot_lock(int problem) {
    return problem == EOPNOTSUPP || problem == ENOLCK || problem == ENOSYS || problem == EINVAL;
}

/// Held by many who name blobs of a sub-folder, or by one who removes some, of whichever process,
/// until it goes. Locks of folders end at the host; those of files that are open for writing reach
/// all hosts of most file systems (flock(2) of NFS).
class SpreadLock {
public:
    enum class Kind { naming, removing };
    static sdk::Result<SpreadLock> take(const fs::path& folder, BlobFolderUse use, Kind kind);

private:
    explicit SpreadLock(file::PosixFile file) : file_(std::move(file)) {}
    file::PosixFile file_;
};

sdk::Result<SpreadLock> SpreadLock::take(const fs::path& folder, BlobFolderUse use, Kind kind) {
    file::PosixFile file = use == BlobFolderUse::by_hosts
                               ? file::PosixFile(folder / kLockFile, O_RDWR | O_CREAT)
                               : file::PosixFile(folder, O_RDONLY | O_DIRECTORY);
    if (!file.is_open()) return disk_error("while opening what locks a folder", errno);
    const int problem = lock_file(file, kind == Kind::removing ? LOCK_EX : LOCK_SH);
    // Where nobody can lock, nobody removes.
    if (problem != 0 && !(cannot_lock(problem) && kind == Kind::naming))
        return disk_error("while locking a folder", problem);
    return SpreadLock(std::move(file));
}

std::int64_t written_ms(const struct stat& file) {
    return static_cast<std::int64_t>(file.st_mtim.tv_sec) * 1000 + file.st_mtim.tv_nsec / 1'000'000;
}

class BlobWriter final : public sdk::BlobStore::Writer {
public:
    BlobWriter(const fs::path& folder, BlobFolderUse use, std::uint64_t reserve_bytes,
               fs::path unfinished, file::PosixFile file)
        : folder_(folder),
          use_(use),
          reserve_(reserve_bytes),
          unfinished_(std::move(unfinished)),
          file_(std::move(file)) {}
    ~BlobWriter() override {
        if (!is_finished_) ::unlink(unfinished_.c_str());
    }
    BlobWriter(const BlobWriter&) = delete;
    BlobWriter& operator=(const BlobWriter&) = delete;

    sdk::Result<void> write(std::string_view bytes) override;
    sdk::Result<std::string> finish() override;

private:
    sdk::Result<void> check_room(std::uint64_t bytes);

    const fs::path& folder_;
    BlobFolderUse use_;
    std::uint64_t reserve_;
    fs::path unfinished_;
    file::PosixFile file_;
    BlobDigest digest_;
    std::uint64_t granted_ = 0;  ///< bytes that may be written before the next look at the disk
    bool is_finished_ = false;
};

sdk::Result<void> BlobWriter::write(std::string_view bytes) {
    if (auto room = check_room(bytes.size()); !room) return room;
    digest_.add(bytes);
    while (!bytes.empty()) {
        const ssize_t written = ::write(file_.descriptor(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) return disk_error("while writing a blob", errno);
        if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

sdk::Result<void> BlobWriter::check_room(std::uint64_t bytes) {
    if (bytes > granted_) {
        std::uint64_t available = 0;
        if (!file::available_bytes(folder_, available))
            return disk_error("while asking for the room on the disk", errno);
        granted_ = std::max(bytes, kRoomStep);
        if (available < reserve_ + granted_)
            return disk_error("less than the reserve would be left", ENOSPC);
    }
    granted_ -= bytes;
    return {};
}

sdk::Result<std::string> BlobWriter::finish() {
    std::string name = digest_.name();
    const fs::path target = path_of(folder_, name);
    // The time by which unused blobs are told from new ones.
    if (::futimens(file_.descriptor(), nullptr) != 0)
        return disk_error("while dating a blob", errno);
    if (::fsync(file_.descriptor()) != 0) return disk_error("while syncing a blob", errno);
    {
        auto lock = SpreadLock::take(target.parent_path(), use_, SpreadLock::Kind::naming);
        if (!lock) return lock.error();
        // Also when it is there already: another writer of the same bytes may not have synced the
        // folder yet, and the old file may be about to be collected.
        if (::rename(unfinished_.c_str(), target.c_str()) != 0)
            return disk_error("while naming a blob", errno);
    }
    is_finished_ = true;
    if (!file::sync_folder(target.parent_path()))
        return disk_error("while syncing a folder", errno);
    return name;
}

class BlobReader final : public sdk::FileReader {
public:
    BlobReader(file::PosixFile file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

    std::uint64_t size() const override { return size_; }

    sdk::Result<void> read(std::uint64_t offset, std::size_t limit, std::string& out) override {
        const std::uint64_t left = offset < size_ ? size_ - offset : 0;
        out.resize(static_cast<std::size_t>(std::min<std::uint64_t>(limit, left)));
        std::size_t done = 0;
        while (done < out.size()) {
            const ssize_t count = ::pread(file_.descriptor(), out.data() + done, out.size() - done,
                                          static_cast<off_t>(offset + done));
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return disk_error("while reading a blob", errno);
            if (count == 0) {
                return sdk::make_error(sdk::ErrorKind::internal, "blob.damaged",
                                       "The stored bytes are damaged.", "a blob became shorter");
            }
            done += static_cast<std::size_t>(count);
        }
        return {};
    }

    int descriptor() const override { return file_.descriptor(); }
    sdk::Result<bool> is_sendable(std::uint64_t, std::uint64_t, bool) override { return true; }
    bool is_unchanged() const override { return true; }

private:
    file::PosixFile file_;
    std::uint64_t size_;
};

class BlobDirectory final : public sdk::FileBlobs {
public:
    BlobDirectory(fs::path folder, std::uint64_t reserve_bytes, BlobFolderUse use)
        : folder_(std::move(folder)), reserve_(reserve_bytes), use_(use) {}

    /// Makes the sub-folders and removes what a crash left.
    sdk::Result<void> prepare();

    sdk::Result<std::unique_ptr<sdk::BlobStore::Writer>> create() override;
    sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> open(std::string_view name) override;
    sdk::Result<std::unique_ptr<sdk::FileReader>> open_file(std::string_view name,
                                                            bool may_wait) override;
    sdk::Result<bool> exists(std::string_view name) override;
    sdk::Result<void> remove(std::string_view name) override;
    sdk::Result<void> for_each(const std::function<void(std::string_view name)>& visit) override;
    sdk::Result<void> for_each_before(
        std::int64_t epoch_ms, const std::function<void(std::string_view name)>& visit) override;
    sdk::Result<std::optional<std::uint64_t>> remove_before(std::string_view name,
                                                            std::int64_t epoch_ms) override;

private:
    sdk::Result<std::unique_ptr<BlobReader>> open_reader(std::string_view name);
    sdk::Result<void> prepare_unfinished();
    /// The unfinished blobs that were last written before `epoch_ms`.
    sdk::Result<void> remove_unfinished(std::int64_t epoch_ms);
    sdk::Result<void> prepare_spread();

    const fs::path folder_;
    const std::uint64_t reserve_;
    const BlobFolderUse use_;
    /// The folder of unfinished blobs, locked by all who may have some.
    file::PosixFile unfinished_;
    const std::string own_names_ = sdk::random_hex(kOwnNameBytes) + '-';
    std::atomic<std::uint64_t> last_unfinished_ = 0;
};

sdk::Result<void> BlobDirectory::prepare() {
    if (!file::create_folder(folder_))
        return disk_error("while creating " + folder_.string(), errno);
    if (auto prepared = prepare_unfinished(); !prepared) return prepared;
    return prepare_spread();
}

sdk::Result<void> BlobDirectory::prepare_unfinished() {
    const fs::path folder = folder_ / kUnfinished;
    if (!file::create_folder(folder)) return disk_error("while creating " + folder.string(), errno);
    unfinished_ = file::PosixFile(folder, O_RDONLY | O_DIRECTORY);
    if (!unfinished_.is_open()) return disk_error("while opening " + folder.string(), errno);
    // `stele check` and its like work beside a server, whose blobs are not what a crash left.
    const int problem = lock_file(unfinished_, LOCK_EX | LOCK_NB);
    if (problem != 0 && problem != EWOULDBLOCK && !cannot_lock(problem))
        return disk_error("while locking " + folder.string(), problem);
    const bool is_alone = problem == 0 && use_ == BlobFolderUse::by_this_host;
    auto removed = remove_unfinished(is_alone ? std::numeric_limits<std::int64_t>::max()
                                              : sdk::now_ms() - kAbandonedMs);
    if (!removed) return removed;
    if (const int shared = lock_file(unfinished_, LOCK_SH); shared != 0 && !cannot_lock(shared))
        return disk_error("while locking " + folder.string(), shared);
    return {};
}

sdk::Result<void> BlobDirectory::remove_unfinished(std::int64_t epoch_ms) {
    const fs::path folder = folder_ / kUnfinished;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        struct stat found = {};
        // Its writer, or another server that starts, may be done with it by now.
        if (::lstat(entry->path().c_str(), &found) != 0) {
            if (errno == ENOENT) continue;
            return disk_error("while cleaning " + folder.string(), errno);
        }
        if (written_ms(found) >= epoch_ms) continue;
        fs::remove_all(entry->path(), error);
        if (error) break;
    }
    if (error) return disk_error("while cleaning " + folder.string(), error.value());
    return {};
}

sdk::Result<void> BlobDirectory::prepare_spread() {
    for (int i = 0; i < kSpread; ++i) {
        const fs::path folder = spread_folder(folder_, i);
        if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
            return disk_error("while creating " + folder.string(), errno);
    }
    if (!file::sync_folder(folder_)) return disk_error("while syncing a folder", errno);
    return {};
}

sdk::Result<std::unique_ptr<sdk::BlobStore::Writer>> BlobDirectory::create() {
    fs::path unfinished = folder_ / kUnfinished / (own_names_ + std::to_string(++last_unfinished_));
    file::PosixFile file(unfinished, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.is_open()) return disk_error("while creating a blob", errno);
    return std::unique_ptr<sdk::BlobStore::Writer>(std::make_unique<BlobWriter>(
        folder_, use_, reserve_, std::move(unfinished), std::move(file)));
}

sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> BlobDirectory::open(std::string_view name) {
    auto reader = open_reader(name);
    if (!reader) return reader.error();
    return std::unique_ptr<sdk::BlobStore::Reader>(std::move(*reader));
}

/// A folder of several hosts lies on another machine, which is waited for.
sdk::Result<std::unique_ptr<sdk::FileReader>> BlobDirectory::open_file(std::string_view name,
                                                                       bool /*may_wait*/) {
    if (use_ == BlobFolderUse::by_hosts) return std::unique_ptr<sdk::FileReader>();
    auto reader = open_reader(name);
    if (!reader) return reader.error();
    return std::unique_ptr<sdk::FileReader>(std::move(*reader));
}

sdk::Result<std::unique_ptr<BlobReader>> BlobDirectory::open_reader(std::string_view name) {
    if (!is_blob_name(name)) return unknown_blob(name);
    file::PosixFile file(path_of(folder_, name), O_RDONLY);
    if (!file.is_open() && errno == ENOENT) return unknown_blob(name);
    if (!file.is_open() && file::is_not_a_file(errno)) {
        return sdk::make_error(sdk::ErrorKind::internal, "blob.damaged",
                               "The stored bytes are damaged.", file::system_reason(errno));
    }
    if (!file.is_open()) return disk_error("while opening a blob", errno);
    struct stat found = {};
    if (::fstat(file.descriptor(), &found) != 0) return disk_error("while opening a blob", errno);
    return std::make_unique<BlobReader>(std::move(file), static_cast<std::uint64_t>(found.st_size));
}

sdk::Result<bool> BlobDirectory::exists(std::string_view name) {
    if (!is_blob_name(name)) return false;
    struct stat found = {};
    if (::stat(path_of(folder_, name).c_str(), &found) == 0) return true;
    if (errno == ENOENT) return false;
    return disk_error("while looking for a blob", errno);
}

sdk::Result<void> BlobDirectory::remove(std::string_view name) {
    if (!is_blob_name(name)) return {};
    if (::unlink(path_of(folder_, name).c_str()) == 0 || errno == ENOENT) return {};
    return disk_error("while removing a blob", errno);
}

sdk::Result<void> BlobDirectory::for_each(const std::function<void(std::string_view name)>& visit) {
    for (int i = 0; i < kSpread; ++i) {
        std::error_code error;
        fs::directory_iterator entry(spread_folder(folder_, i), error);
        for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
            const std::string name = entry->path().filename().string();
            if (is_blob_name(name)) visit(name);
        }
        if (error) return disk_error("while listing blobs", error.value());
    }
    return {};
}

sdk::Result<void> BlobDirectory::for_each_before(
    std::int64_t epoch_ms, const std::function<void(std::string_view name)>& visit) {
    return for_each([&](std::string_view name) {
        struct stat found = {};
        // One that is gone meanwhile is nobody's concern, and one that cannot be looked at stays.
        const bool is_found = ::stat(path_of(folder_, name).c_str(), &found) == 0;
        if (is_found && written_ms(found) < epoch_ms) visit(name);
    });
}

sdk::Result<std::optional<std::uint64_t>> BlobDirectory::remove_before(std::string_view name,
                                                                       std::int64_t epoch_ms) {
    using Removed = std::optional<std::uint64_t>;
    if (!is_blob_name(name)) return Removed();
    const fs::path path = path_of(folder_, name);
    auto lock = SpreadLock::take(path.parent_path(), use_, SpreadLock::Kind::removing);
    if (!lock) return lock.error();
    // Opened, as another host may have put it there: of what is only looked at, network file
    // systems tell what they have heard some time ago.
    const file::PosixFile file(path, O_RDONLY);
    struct stat found = {};
    if (!file.is_open() && errno == ENOENT) return Removed();
    if (!file.is_open() || ::fstat(file.descriptor(), &found) != 0)
        return disk_error("while looking for a blob", errno);
    if (written_ms(found) >= epoch_ms) return Removed();
    if (::unlink(path.c_str()) != 0) return disk_error("while removing a blob", errno);
    return Removed(static_cast<std::uint64_t>(found.st_size));
}

}  // namespace

sdk::Result<std::unique_ptr<sdk::BlobStore>> open_blob_directory(
    const std::filesystem::path& folder, std::uint64_t reserve_bytes, BlobFolderUse use) {
    if (sodium_init() < 0) {
        return sdk::make_error(sdk::ErrorKind::internal, "blob.hash_unavailable",
                               "The server cannot store attachments.", "libsodium did not start");
    }
    auto directory = std::make_unique<BlobDirectory>(folder, reserve_bytes, use);
    if (const auto prepared = directory->prepare(); !prepared) return prepared.error();
    return std::unique_ptr<sdk::BlobStore>(std::move(directory));
}

}  // namespace stele::kernel::storage
