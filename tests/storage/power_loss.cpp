#include "tests/storage/power_loss.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace stele::testing {

namespace {

namespace fs = std::filesystem;

/// A number of a file is given again when the file is removed; with the time of its making it is
/// the file's own.
using FileId = std::tuple<std::uint64_t, std::int64_t, std::uint32_t>;

struct FoundFile {
    FileId id;
    std::uint64_t size = 0;
    bool is_folder = false;
};

bool find_file(int descriptor, const char* path, FoundFile& found) {
    struct statx status {};
    const int flags = *path == '\0' ? AT_EMPTY_PATH : AT_SYMLINK_NOFOLLOW;
    if (::statx(descriptor, path, flags, STATX_BASIC_STATS | STATX_BTIME, &status) != 0)
        return false;
    found = {{status.stx_ino, status.stx_btime.tv_sec, status.stx_btime.tv_nsec},
             status.stx_size,
             S_ISDIR(status.stx_mode)};
    return true;
}

using Names = std::set<std::string>;

Names names_in(const fs::path& folder) {
    Names names;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure))
        names.insert(entry.path().filename().string());
    return names;
}

/// What has been synced, of all files of the process.
class SyncedFiles {
public:
    static SyncedFiles& instance() {
        static SyncedFiles files;
        return files;
    }

    /// The system call; what was there before it is on the disk after it.
    int sync(int descriptor, long call) {
        if (fails) {
            errno = ENOSPC;
            return -1;
        }
        FoundFile file;
        const bool is_found = find_file(descriptor, "", file);
        Names names;
        if (is_found && file.is_folder)
            names = names_in("/proc/self/fd/" + std::to_string(descriptor));
        const auto result = static_cast<int>(::syscall(call, descriptor));
        if (result != 0 || !is_found) return result;
        const std::lock_guard lock(mutex_);
        if (file.is_folder) {
            names_[file.id] = std::move(names);
        } else {
            sizes_[file.id] = std::max(sizes_[file.id], file.size);
        }
        return result;
    }

    /// Bytes of a file that a loss of power leaves.
    std::uint64_t size_of(const FoundFile& file) const {
        const std::lock_guard lock(mutex_);
        const auto found = sizes_.find(file.id);
        return found == sizes_.end() ? 0 : std::min(found->second, file.size);
    }
    std::atomic<bool> fails = false;

    bool has_name(const FoundFile& folder, const std::string& name) const {
        const std::lock_guard lock(mutex_);
        const auto found = names_.find(folder.id);
        return found != names_.end() && found->second.contains(name);
    }

private:
    SyncedFiles() = default;

    mutable std::mutex mutex_;
    std::map<FileId, std::uint64_t> sizes_;
    std::map<FileId, Names> names_;
};

struct KeptFile {
    fs::path path;  ///< relative
    FileId id;
    std::uint64_t size;
    bool is_folder;

    bool operator==(const KeptFile&) const = default;
};

void list_kept(const fs::path& root, const fs::path& inside, NamesKept names,
               std::vector<KeptFile>& kept) {
    FoundFile folder;
    if (!find_file(AT_FDCWD, (root / inside).c_str(), folder)) return;
    for (const std::string& name : names_in(root / inside)) {
        if (names == NamesKept::synced && !SyncedFiles::instance().has_name(folder, name)) continue;
        FoundFile file;
        if (!find_file(AT_FDCWD, (root / inside / name).c_str(), file)) continue;
        const std::uint64_t size = file.is_folder ? 0 : SyncedFiles::instance().size_of(file);
        kept.push_back({inside / name, file.id, size, file.is_folder});
        if (file.is_folder) list_kept(root, inside / name, names, kept);
    }
}

std::vector<KeptFile> list_kept(const fs::path& root, NamesKept names) {
    std::vector<KeptFile> kept;
    list_kept(root, {}, names, kept);
    return kept;
}

void copy_files(const fs::path& from, const fs::path& to, const std::vector<KeptFile>& files) {
    fs::remove_all(to);
    fs::create_directories(to);
    for (const KeptFile& file : files) {
        std::error_code is_gone;
        if (file.is_folder) {
            fs::create_directories(to / file.path);
        } else if (fs::copy_file(from / file.path, to / file.path, is_gone)) {
            fs::resize_file(to / file.path, file.size, is_gone);
        }
    }
}

}  // namespace

FailingSyncs::FailingSyncs() {
    SyncedFiles::instance().fails = true;
}

FailingSyncs::~FailingSyncs() {
    SyncedFiles::instance().fails = false;
}

void copy_after_power_loss(const fs::path& folder, const fs::path& copy, NamesKept names) {
    for (;;) {
        const auto files = list_kept(folder, names);
        copy_files(folder, copy, files);
        if (files == list_kept(folder, names)) return;
    }
}

}  // namespace stele::testing

// In place of the C library's, for LevelDB's library, too.

extern "C" int fsync(int descriptor) {
    return stele::testing::SyncedFiles::instance().sync(descriptor, SYS_fsync);
}

extern "C" int fdatasync(int descriptor) {
    return stele::testing::SyncedFiles::instance().sync(descriptor, SYS_fdatasync);
}
