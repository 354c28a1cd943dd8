#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <stele/sdk/log.hpp>

#include "kernel/file/posix_file.hpp"
#include "kernel/storage/backends/leveldb/committer.hpp"
#include "kernel/storage/backends/leveldb/folder_seal.hpp"
#include "kernel/storage/backends/leveldb/leveldb_transaction.hpp"
#include "kernel/storage/backends/leveldb/recovery_reserve.hpp"
#include "kernel/storage/backends/leveldb/reopenable_database.hpp"
#include "kernel/storage/backends/leveldb/row_cache.hpp"
#include "kernel/storage/backends/leveldb/slice.hpp"
#include "kernel/storage/backends/leveldb/snapshot_reader.hpp"
#include "kernel/storage/backends/leveldb/store_files.hpp"
#include "kernel/storage/backends/leveldb/store_manifest.hpp"
#include "kernel/storage/backends/leveldb/table_merges.hpp"

namespace stele::kernel::storage {

namespace {

constexpr int kBloomBits = 10;
/// A table that LevelDB does not merge after so many tries is left to it.
constexpr int kTriesOfMerge = 3;
/// A table goes down by a level with each.
constexpr std::size_t kMergesOfTable = 6;
constexpr char kLockName[] = "stele.lock";

/// Small tables for small buffers: a merge takes some tens of them at once, and so much room.
std::size_t table_bytes(const LevelDbOptions& options) {
    constexpr std::size_t kLeast = 1024 * 1024;
    return std::clamp(options.write_buffer_bytes, kLeast, 2 * kLeast);
}

/// Seals the folder when everything else of the database is gone.
class ClosingSeal {
public:
    explicit ClosingSeal(const std::filesystem::path& folder) : seal_(folder) {}
    ~ClosingSeal() {
        const auto written = seal_.write();
        if (written) return;
        const bool is_damaged = written.error().kind == sdk::ErrorKind::internal;
        sdk::log(is_damaged ? sdk::LogLevel::error : sdk::LogLevel::info, "storage",
                 written.error().message);
    }
    ClosingSeal(const ClosingSeal&) = delete;
    ClosingSeal& operator=(const ClosingSeal&) = delete;

private:
    FolderSeal seal_;
};

/// Of the folder, too: a file can be removed and made again while it is locked.
struct FolderLock {
    file::PosixFile file;
    file::PosixFile folder;
};

/// What a LevelDB database needs around it, in the order in which it must be given back.
struct OpenDatabase {
    FolderLock lock;
    std::unique_ptr<ClosingSeal> seal;
    std::unique_ptr<leveldb::Cache> cache;
    std::unique_ptr<const leveldb::FilterPolicy> filter;
    std::unique_ptr<ReopenableDatabase> database;
};

class LevelDbEngine final : public sdk::Engine, public sdk::RoomKeeper {
public:
    LevelDbEngine(const std::filesystem::path& folder, OpenDatabase opened, DiskGuard disk,
                  const LevelDbOptions& options)
        : folder_(folder),
          write_buffer_(options.write_buffer_bytes),
          opened_(std::move(opened)),
          rows_(options.row_cache_bytes),
          committer_(*opened_.database, rows_, damage_, present_, std::move(disk),
                     {options.write_buffer_bytes, table_bytes(options)}, options.is_durable,
                     options.history_bytes) {}

    std::unique_ptr<sdk::Reader> snapshot() override {
        return std::make_unique<SnapshotReader>(present_.snapshot());
    }
    std::unique_ptr<sdk::Transaction> begin() override {
        return std::make_unique<LevelDbTransaction>(present_.view(), committer_);
    }
    bool is_local() const override { return true; }
    void observe(std::string prefix, sdk::CommitObserver observer) override {
        committer_.observe(std::move(prefix), std::move(observer));
    }
    std::uint64_t approximate_size(const sdk::KeyRange& range) override;
    sdk::Result<void> status() const override;
    sdk::RoomKeeper* room_keeper() override { return this; }
    void give_back_room(const std::function<bool()>& must_stop) override;
    bool is_room_wanted() const override { return committer_.merge_room().is_wanted(); }

private:
    enum class Merged { wholly, in_part, in_vain };
    /// How it was before ranges are merged.
    struct Before {
        std::uint64_t available = 0;
        std::uint64_t version = 0;
    };

    bool has_room_to_merge(std::uint64_t bytes);
    void give_back_held(const std::function<bool()>& must_stop);
    bool is_past_soon(std::uint64_t version, const std::function<bool()>& must_stop) const;
    Merged merge_range(const RemovedKeys::Range& range, const Before& before,
                       const std::function<bool()>& must_stop);
    /// Whether there is less room than before: somebody still reads tables that were merged.
    bool is_in_vain(const Before& before) const;

    const std::filesystem::path folder_;
    const std::uint64_t write_buffer_;
    OpenDatabase opened_;
    RowCache rows_;
    DamageNotes damage_;
    PresentState present_;
    std::mutex held_mutex_;
    /// What was removed, and waits for those who still read it.
    RemovedKeys::Ranges held_;
    Committer committer_;
};

std::uint64_t LevelDbEngine::approximate_size(const sdk::KeyRange& range) {
    const leveldb::Range wanted(range.begin, range.end.empty() ? kBeyondAll : range.end);
    std::uint64_t size = 0;
    opened_.database->GetApproximateSizes(&wanted, 1, &size);
    return size;
}

sdk::Result<void> LevelDbEngine::status() const {
    if (auto sound = damage_.status(); !sound) return sound;
    return committer_.status();
}

bool LevelDbEngine::has_room_to_merge(std::uint64_t bytes) {
    std::uint64_t available = 0;
    if (!file::available_bytes(folder_, available)) return false;
    // A buffer that fills up meanwhile goes into a table of its own.
    return available >=
           std::min(bytes, committer_.merge_room().largest_merge()) + 2 * write_buffer_;
}

bool LevelDbEngine::is_past_soon(std::uint64_t version,
                                 const std::function<bool()>& must_stop) const {
    // Short readers are there at any moment.
    constexpr int kLooks = 100;
    for (int i = 0; i < kLooks && !present_.is_past(version) && !must_stop(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return present_.is_past(version);
}

LevelDbEngine::Merged LevelDbEngine::merge_range(const RemovedKeys::Range& range,
                                                 const Before& before,
                                                 const std::function<bool()>& must_stop) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, int> tries;
    const auto is_left_out = [&](const TableMerge& merge) {
        return tries[{merge.table, merge.level}] >= kTriesOfMerge;
    };
    std::optional<std::size_t> left;
    while (true) {
        const auto manifest = read_manifest(folder_);
        if (!manifest) return Merged::in_part;
        // Who writes all the time makes more of them all the time.
        if (!left) left = kMergesOfTable * (manifest->tables.size() + 1);
        const auto merge = next_merge(manifest->tables, range, is_left_out);
        if (!merge) return Merged::wholly;
        if ((*left)-- == 0 || must_stop() || !has_room_to_merge(merge->bytes))
            return Merged::in_part;
        ++tries[{merge->table, merge->level}];
        committer_.merge_room().set_merging(true);
        provoke_merge(*opened_.database, *merge, must_stop);
        if (is_in_vain(before)) return Merged::in_vain;
    }
}

bool LevelDbEngine::is_in_vain(const Before& before) const {
    std::uint64_t available = 0;
    return file::available_bytes(folder_, available) &&
           available + 2 * write_buffer_ < before.available &&
           !present_.is_past(before.version + 1);
}

void LevelDbEngine::give_back_room(const std::function<bool()>& must_stop) {
    const std::lock_guard lock(held_mutex_);
    const bool was_held = !held_.by_name.empty();
    if (!was_held) held_ = committer_.removed_keys().take();
    give_back_held(must_stop);
    if (!was_held || !held_.by_name.empty()) return;
    // What was removed while the former was held.
    held_ = committer_.removed_keys().take();
    give_back_held(must_stop);
}

void LevelDbEngine::give_back_held(const std::function<bool()>& must_stop) {
    RemovedKeys& removed = committer_.removed_keys();
    MergeRoom& merges = committer_.merge_room();
    if (held_.by_name.empty()) return;
    const bool is_past = is_past_soon(held_.version, must_stop);
    merges.set_held(!is_past);
    Before before;
    const auto look = [&] { return file::available_bytes(folder_, before.available); };
    if (!is_past || !look() || before.available <= write_buffer_) return;
    before.version = present_.version();
    // LevelDB also removes tables then that were read for longer than they were of use.
    opened_.database->flush();
    if (!look()) return;
    const auto ranges = std::exchange(held_.by_name, {});
    auto merged = Merged::wholly;
    for (const auto& [name, range] : ranges) {
        if (merged != Merged::in_vain) merged = merge_range(range, before, must_stop);
        if (merged == Merged::in_part) removed.put_back(name, range);
        if (merged == Merged::in_vain) held_.by_name.emplace(name, range);
    }
    if (merged == Merged::in_vain) held_.version = before.version + 1;
    merges.set_held(merged == Merged::in_vain);
    merges.set_merging(false);
}

/// Buffers that fit a disk with little room, what is held back for them, too.
LevelDbOptions fitted(const std::filesystem::path& folder, LevelDbOptions options) {
    constexpr std::uint64_t kRoomShare = 8;
    constexpr std::uint64_t kLeastBuffer = 1024 * 1024;
    std::uint64_t available = 0;
    if (!file::available_bytes(folder, available)) return options;
    const std::uint64_t wanted = options.write_buffer_bytes;
    const std::uint64_t most = std::max(kLeastBuffer, available / kRoomShare);
    if (wanted <= most) return options;
    options.write_buffer_bytes = most;
    options.recovery_bytes = options.recovery_bytes * most / wanted;
    options.urgent_bytes = options.urgent_bytes * most / wanted;
    return options;
}

sdk::Error open_failed(const std::filesystem::path& folder, const std::string& reason) {
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "engine.open_failed",
        "The data folder " + folder.string() + " cannot be opened: " + reason + ".");
}

/// Nothing when the disk knows no locks of folders; the one on the file is there then.
bool is_locked(const file::PosixFile& file, bool must_lock) {
    if (::flock(file.descriptor(), LOCK_EX | LOCK_NB) == 0) return true;
    return !must_lock && errno != EWOULDBLOCK;
}

sdk::Result<FolderLock> lock_folder(const std::filesystem::path& folder) {
    FolderLock lock{file::PosixFile(folder / kLockName, O_RDWR | O_CREAT),
                    file::PosixFile(folder, O_RDONLY | O_DIRECTORY)};
    if (!lock.file.is_open() || !lock.folder.is_open())
        return open_failed(folder, file::system_reason(errno));
    if (is_locked(lock.file, true) && is_locked(lock.folder, false)) return lock;
    if (errno != EWOULDBLOCK) return open_failed(folder, file::system_reason(errno));
    return sdk::make_error(sdk::ErrorKind::unavailable, "engine.in_use",
                           "The data folder " + folder.string() +
                               " is in use by another Stele process. Stop that one first, or "
                               "choose another folder.");
}

leveldb::Options database_options(const OpenDatabase& around, const LevelDbOptions& wanted) {
    leveldb::Options options;
    // A wrong checksum is an error everywhere: in logs, and where tables are merged.
    options.paranoid_checks = true;
    options.block_cache = around.cache.get();
    options.filter_policy = around.filter.get();
    options.write_buffer_size = wanted.write_buffer_bytes;
    options.max_file_size = table_bytes(wanted);
    options.compression = leveldb::kNoCompression;
    return options;
}

sdk::Result<std::unique_ptr<leveldb::DB>> open_files(const std::filesystem::path& folder,
                                                     const leveldb::Options& options) {
    if (auto prepared = prepare_store_files(folder); !prepared) return prepared.error();
    leveldb::DB* database = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, folder.string(), &database);
    if (status.ok()) return std::unique_ptr<leveldb::DB>(database);
    // LevelDB also answers "invalid argument" for a folder whose files do not fit together.
    if (status.IsIOError()) return open_failed(folder, status.ToString());
    return sdk::make_error(
        sdk::ErrorKind::internal, "store.damaged",
        "The data in " + folder.string() + " is damaged: " + status.ToString() + ".");
}

sdk::Result<OpenDatabase> open_database(const std::filesystem::path& folder, FolderLock lock,
                                        const LevelDbOptions& wanted) {
    OpenDatabase opened;
    opened.lock = std::move(lock);
    opened.cache.reset(leveldb::NewLRUCache(wanted.cache_bytes));
    opened.filter.reset(leveldb::NewBloomFilterPolicy(kBloomBits));
    const auto open = [folder, wanted, options = database_options(opened, wanted)](
                          leveldb::Env& env, bool is_again) {
        leveldb::Options own = options;
        own.env = &env;
        own.create_if_missing = !is_again;
        const RecoveryReserve reserve(folder);
        reserve.release();
        auto database = open_files(folder, own);
        if (database || is_again)
            reserve.take(wanted.recovery_bytes + wanted.urgent_bytes, wanted.write_buffer_bytes);
        return database;
    };
    auto database = ReopenableDatabase::open(folder.string(), open);
    if (!database) return database.error();
    opened.database = std::move(*database);
    opened.seal = std::make_unique<ClosingSeal>(folder);
    return opened;
}

}  // namespace

bool has_leveldb(const std::filesystem::path& folder) {
    return !is_new_store(folder);
}

sdk::Result<std::vector<std::string>> check_leveldb(const std::filesystem::path& folder) {
    const auto lock = lock_folder(folder);
    if (!lock) return lock.error();
    return check_store_files(folder);
}

sdk::Result<std::unique_ptr<sdk::Engine>> open_leveldb(const std::filesystem::path& folder,
                                                       const LevelDbOptions& options) {
    if (!file::create_folder(folder)) return open_failed(folder, file::system_reason(errno));
    auto lock = lock_folder(folder);
    if (!lock) return lock.error();
    RecoveryReserve(folder).release();
    const LevelDbOptions fitting = fitted(folder, options);
    auto opened = open_database(folder, std::move(*lock), fitting);
    if (!opened) return opened.error();
    const DiskReserve reserve{fitting.reserve_bytes, fitting.recovery_bytes, fitting.urgent_bytes};
    return std::unique_ptr<sdk::Engine>(std::make_unique<LevelDbEngine>(
        folder, *std::move(opened), DiskGuard(folder, reserve), fitting));
}

}  // namespace stele::kernel::storage
