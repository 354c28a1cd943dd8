#include "kernel/storage/backends/leveldb/reopenable_database.hpp"

#include <algorithm>
#include <utility>

#include <leveldb/iterator.h>

#include "kernel/storage/backends/leveldb/fenced_env.hpp"
#include "kernel/storage/backends/leveldb/slice.hpp"
#include "kernel/storage/backends/leveldb/table_env.hpp"

namespace stele::kernel::storage {

struct ReopenableDatabase::Opened {
    explicit Opened(std::function<bool()> must_keep_tables)
        : env(tables, std::move(must_keep_tables)) {}

    TableEnv tables;
    FencedEnv env;
    std::unique_ptr<leveldb::DB> database;
};

/// Databases wait here for being closed, because that takes long, and who reads last may be the
/// thread of all connections.
struct ReopenableDatabase::Unused {
    std::mutex mutex;
    std::vector<std::unique_ptr<Opened>> databases;
};

struct ReopenableDatabase::HeldSnapshot final : leveldb::Snapshot {
    explicit HeldSnapshot(std::shared_ptr<Opened> opened)
        : of(std::move(opened)), snapshot(of->database->GetSnapshot()) {}
    ~HeldSnapshot() override { of->database->ReleaseSnapshot(snapshot); }
    HeldSnapshot(const HeldSnapshot&) = delete;
    HeldSnapshot& operator=(const HeldSnapshot&) = delete;

    const std::shared_ptr<Opened> of;
    const leveldb::Snapshot* const snapshot;
};

ReopenableDatabase::ReopenableDatabase(const std::string& folder, Open open)
    : lock_name_(folder + "/LOCK"), open_(std::move(open)), unused_(std::make_shared<Unused>()) {}

ReopenableDatabase::~ReopenableDatabase() {
    current_.reset();
    close_unused();
    if (lock_ != nullptr) leveldb::Env::Default()->UnlockFile(lock_);
}

sdk::Result<std::unique_ptr<ReopenableDatabase>> ReopenableDatabase::open(const std::string& folder,
                                                                          Open open) {
    std::unique_ptr<ReopenableDatabase> made(new ReopenableDatabase(folder, std::move(open)));
    const leveldb::Status locked =
        leveldb::Env::Default()->LockFile(made->lock_name_, &made->lock_);
    if (!locked.ok()) {
        return sdk::make_error(
            sdk::ErrorKind::unavailable, "engine.open_failed",
            "The data folder " + folder + " cannot be opened: " + locked.ToString() + ".");
    }
    auto opened = made->open_one();
    if (!opened) return opened.error();
    made->current_ = std::move(*opened);
    return made;
}

sdk::Result<std::shared_ptr<ReopenableDatabase::Opened>> ReopenableDatabase::open_one() {
    auto opened = std::make_unique<Opened>([former = former_] {
        return std::any_of(former.begin(), former.end(),
                           [](const auto& one) { return !one.expired(); });
    });
    auto database = open_(opened->env, !former_.empty());
    if (!database) return database.error();
    opened->database = std::move(*database);
    const auto put_aside = [unused = unused_](Opened* one) {
        const std::lock_guard lock(unused->mutex);
        unused->databases.emplace_back(one);
    };
    return std::shared_ptr<Opened>(opened.release(), put_aside);
}

std::shared_ptr<ReopenableDatabase::Opened> ReopenableDatabase::current() const {
    const std::lock_guard lock(mutex_);
    return current_;
}

sdk::Result<void> ReopenableDatabase::reopen() {
    close_unused();
    std::shared_ptr<Opened> old = current();
    old->env.shut();
    std::erase_if(former_, [](const auto& one) { return one.expired(); });
    former_.emplace_back(old);
    auto opened = open_one();
    if (!opened) {
        former_.pop_back();
        return opened.error();
    }
    const std::lock_guard lock(mutex_);
    current_ = std::move(*opened);
    return {};
}

bool ReopenableDatabase::has_failed() const {
    return current()->env.has_failed();
}

bool ReopenableDatabase::is_merging() const {
    return current()->env.is_merging();
}

void ReopenableDatabase::close_unused() {
    const bool is_ending = current() == nullptr;
    std::vector<std::unique_ptr<Opened>> closed;
    const std::lock_guard lock(unused_->mutex);
    std::vector<std::unique_ptr<Opened>> kept;
    for (auto& one : unused_->databases) {
        // Closing waits for its merges, which wait for those of all others.
        const bool must_wait = !is_ending && one->env.is_merging();
        (must_wait ? kept : closed).push_back(std::move(one));
    }
    unused_->databases.swap(kept);
}

leveldb::Status ReopenableDatabase::Put(const leveldb::WriteOptions& options,
                                        const leveldb::Slice& key, const leveldb::Slice& value) {
    return current()->database->Put(options, key, value);
}

leveldb::Status ReopenableDatabase::Delete(const leveldb::WriteOptions& options,
                                           const leveldb::Slice& key) {
    return current()->database->Delete(options, key);
}

leveldb::Status ReopenableDatabase::Write(const leveldb::WriteOptions& options,
                                          leveldb::WriteBatch* batch) {
    return current()->database->Write(options, batch);
}

leveldb::Status ReopenableDatabase::Get(const leveldb::ReadOptions& options,
                                        const leveldb::Slice& key, std::string* value) {
    if (options.snapshot == nullptr) return current()->database->Get(options, key, value);
    const auto& held = static_cast<const HeldSnapshot&>(*options.snapshot);
    leveldb::ReadOptions below = options;
    below.snapshot = held.snapshot;
    return held.of->database->Get(below, key, value);
}

leveldb::Iterator* ReopenableDatabase::NewIterator(const leveldb::ReadOptions& options) {
    if (options.snapshot == nullptr) {
        auto* const kept = new std::shared_ptr<Opened>(current());
        leveldb::Iterator* const iterator = (*kept)->database->NewIterator(options);
        iterator->RegisterCleanup(
            [](void* opened, void*) { delete static_cast<std::shared_ptr<Opened>*>(opened); }, kept,
            nullptr);
        return iterator;
    }
    const auto& held = static_cast<const HeldSnapshot&>(*options.snapshot);
    leveldb::ReadOptions below = options;
    below.snapshot = held.snapshot;
    return held.of->database->NewIterator(below);
}

const leveldb::Snapshot* ReopenableDatabase::GetSnapshot() {
    return new HeldSnapshot(current());
}

void ReopenableDatabase::ReleaseSnapshot(const leveldb::Snapshot* snapshot) {
    delete static_cast<const HeldSnapshot*>(snapshot);
}

bool ReopenableDatabase::GetProperty(const leveldb::Slice& property, std::string* value) {
    return current()->database->GetProperty(property, value);
}

void ReopenableDatabase::GetApproximateSizes(const leveldb::Range* range, int count,
                                             std::uint64_t* sizes) {
    current()->database->GetApproximateSizes(range, count, sizes);
}

void ReopenableDatabase::flush() {
    // Where no table has anything, there is nothing to merge behind the flush.
    const leveldb::Slice beyond(kBeyondAll);
    current()->database->CompactRange(&beyond, &beyond);
}

void ReopenableDatabase::CompactRange(const leveldb::Slice* /*begin*/,
                                      const leveldb::Slice* /*end*/) {
    flush();
}

}  // namespace stele::kernel::storage
