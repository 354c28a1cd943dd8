#include "kernel/storage/backends/leveldb/table_env.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

#include <leveldb/slice.h>
#include <leveldb/status.h>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/crc32c.hpp"

namespace stele::kernel::storage {

namespace {

/// The share of the process's descriptors that tables may keep.
constexpr rlim_t kDescriptorShare = 5;
constexpr int kMaxDescriptors = 10'000;
/// A kind and a checksum stand behind each block.
constexpr std::size_t kBlockTrailer = 5;

/// The name of a table's file, without any memory of its own: LevelDB's thread never ends, and what
/// it remembered would never be let go of.
class TableName {
public:
    TableName() = default;
    explicit TableName(const std::filesystem::path& file) : folder_(kept(file.parent_path())) {
        const std::string own = file.filename().string();
        std::copy_n(own.begin(), std::min(own.size(), own_.size() - 1), own_.begin());
    }

    bool is_empty() const { return folder_ == nullptr; }
    std::string own() const { return own_.data(); }
    std::string whole() const { return (*folder_ / own_.data()).string(); }

private:
    /// More than twenty digits and an ending.
    static constexpr std::size_t kMaxOwn = 32;

    /// A process has few folders of tables, and these stay known.
    static const std::filesystem::path* kept(const std::filesystem::path& folder) {
        static std::mutex mutex;
        static auto& folders = *new std::set<std::filesystem::path>();
        const std::lock_guard lock(mutex);
        return &*folders.insert(folder).first;
    }

    const std::filesystem::path* folder_ = nullptr;
    std::array<char, kMaxOwn> own_{};
};

/// A read of a table, as this thread remembers it.
struct TableRead {
    TableName file;
    std::uint64_t offset = 0;
    std::size_t size = 0;
};

/// Each thread's begin at a number of their own, so that one number is never told by two threads.
class LastReads {
public:
    void add(const TableName& file, std::uint64_t offset, std::size_t size) {
        reads_[next_++ % reads_.size()] = {file, offset, size};
    }
    std::uint64_t count() const { return next_; }
    /// The latest first.
    template <class Visit>
    void each(const Visit& visit) const {
        for (std::size_t i = 1; i <= reads_.size(); ++i) {
            const TableRead& read = reads_[(next_ + reads_.size() - i) % reads_.size()];
            if (!read.file.is_empty() && visit(read)) return;
        }
    }

private:
    /// More than a cursor over all levels reads between two steps.
    static constexpr std::size_t kKept = 32;
    std::array<TableRead, kKept> reads_;
    static constexpr unsigned kReadsOfThread = 40;  ///< bits
    inline static std::atomic<std::uint64_t> threads_ = 0;
    std::uint64_t next_ = threads_++ << kReadsOfThread;
};

static_assert(std::is_trivially_destructible_v<LastReads>, "threads that never end remember it");
thread_local LastReads last_table_reads;

leveldb::Status read_failed(const std::string& file, int reason) {
    return leveldb::Status::IOError(file, file::system_reason(reason));
}

/// Up to `size` bytes; fewer at the end.
leveldb::Status read_at(const file::PosixFile& file, const std::string& name, std::uint64_t offset,
                        std::size_t size, leveldb::Slice* result, char* bytes) {
    std::size_t done = 0;
    while (done < size) {
        const ssize_t count = ::pread(file.descriptor(), bytes + done, size - done,
                                      static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return read_failed(name, errno);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    *result = leveldb::Slice(bytes, done);
    return leveldb::Status::OK();
}

class TableFile final : public leveldb::RandomAccessFile {
public:
    TableFile(std::string name, file::PosixFile file, std::atomic<int>& free_descriptors)
        : name_(std::move(name)),
          short_name_(name_),
          file_(std::move(file)),
          free_descriptors_(free_descriptors) {}
    ~TableFile() override {
        if (file_.is_open()) ++free_descriptors_;
    }
    TableFile(const TableFile&) = delete;
    TableFile& operator=(const TableFile&) = delete;

    leveldb::Status Read(std::uint64_t offset, std::size_t size, leveldb::Slice* result,
                         char* bytes) const override {
        last_table_reads.add(short_name_, offset, size);
        if (file_.is_open()) return read_at(file_, name_, offset, size, result, bytes);
        const file::PosixFile file(name_, O_RDONLY);
        if (!file.is_open()) return read_failed(name_, errno);
        return read_at(file, name_, offset, size, result, bytes);
    }

private:
    const std::string name_;
    const TableName short_name_;
    file::PosixFile file_;
    std::atomic<int>& free_descriptors_;
};

int table_descriptors() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return kMaxDescriptors;
    return static_cast<int>(std::min<rlim_t>(limit.rlim_cur / kDescriptorShare, kMaxDescriptors));
}

bool is_wrong_block(const TableRead& read) {
    const std::string name = read.file.whole();
    const file::PosixFile file(name, O_RDONLY);
    if (!file.is_open() || read.size < kBlockTrailer) return false;
    std::string bytes(read.size, '\0');
    leveldb::Slice found;
    if (!read_at(file, name, read.offset, read.size, &found, bytes.data()).ok()) return false;
    if (found.size() < read.size) return true;
    const std::size_t covered = read.size - kBlockTrailer + 1;
    return masked_crc32c({bytes.data(), covered}) != read_fixed32(bytes.data() + covered);
}

}  // namespace

TableEnv::TableEnv()
    : leveldb::EnvWrapper(leveldb::Env::Default()), free_descriptors_(table_descriptors()) {}

leveldb::Status TableEnv::NewRandomAccessFile(const std::string& name,
                                              leveldb::RandomAccessFile** file) {
    *file = nullptr;
    file::PosixFile opened(name, O_RDONLY);
    if (!opened.is_open()) {
        const std::string reason = file::system_reason(errno);
        return errno == ENOENT ? leveldb::Status::NotFound(name, reason)
                               : leveldb::Status::IOError(name, reason);
    }
    if (free_descriptors_.fetch_sub(1) <= 0) {
        ++free_descriptors_;
        opened = file::PosixFile();
    }
    *file = new TableFile(name, std::move(opened), free_descriptors_);
    return leveldb::Status::OK();
}

std::uint64_t TableEnv::reads_of_thread() {
    return last_table_reads.count();
}

std::string TableEnv::locate_damage() {
    std::string place;
    last_table_reads.each([&](const TableRead& read) {
        const std::string name = read.file.own();
        if (place.empty()) place = "near the table " + name;
        if (!is_wrong_block(read)) return false;
        place = "the table " + name + " of the store at offset " + std::to_string(read.offset);
        return true;
    });
    return place.empty() ? "a table of the store" : place;
}

}  // namespace stele::kernel::storage
