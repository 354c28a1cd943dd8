#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <leveldb/db.h>
#include <leveldb/env.h>

#include <stele/sdk/result.hpp>

namespace stele::kernel::storage {

/// A LevelDB that can be opened anew while it is in use: one that failed to write is closed for
/// writing for good, also when the reason has gone. Who reads a snapshot goes on in the database
/// that it is of, which stays until the last of them has gone. Any thread, but for `reopen`.
class ReopenableDatabase final : public leveldb::DB {
public:
    /// Opens the folder with what is in it. Again, it must be a store.
    using Open =
        std::function<sdk::Result<std::unique_ptr<leveldb::DB>>(leveldb::Env& env, bool is_again)>;
    static sdk::Result<std::unique_ptr<ReopenableDatabase>> open(const std::string& folder,
                                                                 Open open);
    /// No snapshot of it may be held any more.
    ~ReopenableDatabase() override;

    /// Nobody may write meanwhile. After a failure reads go on, and writes fail as before.
    sdk::Result<void> reopen();
    /// Whether it can be written no more, although nobody may have tried since.
    bool has_failed() const;
    /// Whether LevelDB writes a buffer into a table or merges tables, or is about to.
    bool is_merging() const;
    /// Brings what no table holds yet into one; waits.
    void flush();
    /// Closes those of before that nobody reads any more and that merge nothing: what they merge
    /// waits for LevelDB's only thread. Until then they hold the room of the tables that they have
    /// read, also of those that are removed.
    void close_unused();

    leveldb::Status Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                        const leveldb::Slice& value) override;
    leveldb::Status Delete(const leveldb::WriteOptions& options,
                           const leveldb::Slice& key) override;
    leveldb::Status Write(const leveldb::WriteOptions& options,
                          leveldb::WriteBatch* batch) override;
    leveldb::Status Get(const leveldb::ReadOptions& options, const leveldb::Slice& key,
                        std::string* value) override;
    leveldb::Iterator* NewIterator(const leveldb::ReadOptions& options) override;
    const leveldb::Snapshot* GetSnapshot() override;
    void ReleaseSnapshot(const leveldb::Snapshot* snapshot) override;
    bool GetProperty(const leveldb::Slice& property, std::string* value) override;
    void GetApproximateSizes(const leveldb::Range* range, int count, std::uint64_t* sizes) override;
    /// Only does `flush`: when something fails while LevelDB 1.23 merges a range on demand, it ends
    /// the process.
    void CompactRange(const leveldb::Slice* begin, const leveldb::Slice* end) override;

private:
    struct Opened;
    struct HeldSnapshot;
    struct Unused;

    ReopenableDatabase(const std::string& folder, Open open);
    sdk::Result<std::shared_ptr<Opened>> open_one();
    std::shared_ptr<Opened> current() const;

    const std::string lock_name_;
    const Open open_;
    leveldb::FileLock* lock_ = nullptr;
    /// Outlives this object when somebody still holds a database.
    std::shared_ptr<Unused> unused_;
    std::vector<std::weak_ptr<Opened>> former_;
    mutable std::mutex mutex_;
    std::shared_ptr<Opened> current_;
};

}  // namespace stele::kernel::storage
