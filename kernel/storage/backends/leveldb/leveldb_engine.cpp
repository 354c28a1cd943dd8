#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <string>
#include <utility>

#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include "kernel/storage/backends/leveldb/committer.hpp"
#include "kernel/storage/backends/leveldb/leveldb_transaction.hpp"
#include "kernel/storage/backends/leveldb/recovery_reserve.hpp"
#include "kernel/storage/backends/leveldb/row_cache.hpp"
#include "kernel/storage/backends/leveldb/snapshot_reader.hpp"
#include "kernel/storage/posix_file.hpp"

namespace stele::kernel::storage {

namespace {

constexpr int kBloomBits = 10;
constexpr char kLockName[] = "stele.lock";

/// What a LevelDB database needs around it, in the order in which it must be given back.
struct OpenDatabase {
    PosixFile lock;
    std::unique_ptr<leveldb::Cache> cache;
    std::unique_ptr<const leveldb::FilterPolicy> filter;
    std::unique_ptr<leveldb::DB> database;
};

class LevelDbEngine final : public sdk::Engine {
public:
    LevelDbEngine(OpenDatabase opened, DiskGuard disk, const LevelDbOptions& options)
        : opened_(std::move(opened)),
          rows_(options.row_cache_bytes),
          committer_(*opened_.database, rows_, present_, std::move(disk), options.is_durable) {}

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

private:
    OpenDatabase opened_;
    RowCache rows_;
    PresentState present_;
    Committer committer_;
};

std::uint64_t LevelDbEngine::approximate_size(const sdk::KeyRange& range) {
    // Above every key of the layout, none of which begins with so many of these.
    static const std::string kBeyondAll(64, '\xff');
    const leveldb::Range wanted(range.begin, range.end.empty() ? kBeyondAll : range.end);
    std::uint64_t size = 0;
    opened_.database->GetApproximateSizes(&wanted, 1, &size);
    return size;
}

sdk::Error open_failed(const std::filesystem::path& folder, const std::string& reason) {
    return sdk::make_error(
        sdk::ErrorKind::unavailable, "engine.open_failed",
        "The data folder " + folder.string() + " cannot be opened: " + reason + ".");
}

sdk::Result<PosixFile> lock_folder(const std::filesystem::path& folder) {
    PosixFile lock(folder / kLockName, O_RDWR | O_CREAT);
    if (!lock.is_open()) return open_failed(folder, system_reason(errno));
    if (::flock(lock.descriptor(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return open_failed(folder, system_reason(errno));
    return sdk::make_error(sdk::ErrorKind::unavailable, "engine.in_use",
                           "The data folder " + folder.string() +
                               " is in use by another Stele process. Stop that one first, or "
                               "choose another folder.");
}

sdk::Result<OpenDatabase> open_database(const std::filesystem::path& folder,
                                        const LevelDbOptions& wanted) {
    OpenDatabase opened;
    auto lock = lock_folder(folder);
    if (!lock) return lock.error();
    opened.lock = std::move(*lock);
    opened.cache.reset(leveldb::NewLRUCache(wanted.cache_bytes));
    opened.filter.reset(leveldb::NewBloomFilterPolicy(kBloomBits));

    leveldb::Options options;
    options.create_if_missing = true;
    options.block_cache = opened.cache.get();
    options.filter_policy = opened.filter.get();
    options.write_buffer_size = wanted.write_buffer_bytes;
    options.compression = leveldb::kNoCompression;
    const RecoveryReserve reserve(folder);
    reserve.release();
    leveldb::DB* database = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, folder.string(), &database);
    opened.database.reset(database);
    if (status.ok()) {
        reserve.take(wanted.recovery_bytes);
        return opened;
    }
    // LevelDB also answers "invalid argument" for a folder whose files do not fit together.
    if (status.IsIOError()) return open_failed(folder, status.ToString());
    return sdk::make_error(
        sdk::ErrorKind::internal, "engine.store_damaged",
        "The data in " + folder.string() + " is damaged: " + status.ToString() + ".");
}

}  // namespace

sdk::Result<std::unique_ptr<sdk::Engine>> open_leveldb(const std::filesystem::path& folder,
                                                       const LevelDbOptions& options) {
    if (!create_folder(folder)) return open_failed(folder, system_reason(errno));
    auto opened = open_database(folder, options);
    if (!opened) return opened.error();
    return std::unique_ptr<sdk::Engine>(std::make_unique<LevelDbEngine>(
        *std::move(opened), DiskGuard(folder, options.reserve_bytes), options));
}

}  // namespace stele::kernel::storage
