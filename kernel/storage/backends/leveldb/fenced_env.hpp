#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>

#include <leveldb/env.h>

namespace stele::kernel::storage {

/// LevelDB's window on the operating system, which can be shut for whatever changes something: so a
/// database that failed to write can go on answering reads while another one opens its folder.
class FencedEnv final : public leveldb::EnvWrapper {
public:
    /// `must_keep_tables` is asked before a table is removed: others may still read it. LevelDB
    /// tries again when it has merged the next ones.
    FencedEnv(leveldb::Env& below, std::function<bool()> must_keep_tables);

    /// When this returns, nothing is written any more, and nothing will be.
    void shut();
    /// Whether something could not be written: LevelDB, which may have met it while it merged
    /// behind the commits, tells only who writes next.
    bool has_failed() const { return has_failed_; }
    /// Whether LevelDB writes a buffer into a table or merges tables, or is about to.
    bool is_merging() const { return *merges_ > 0; }

    void Schedule(void (*work)(void*), void* of) override;

    leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override;
    leveldb::Status NewAppendableFile(const std::string& name,
                                      leveldb::WritableFile** file) override;
    leveldb::Status RemoveFile(const std::string& name) override;
    leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
    /// The folder is locked by whoever opens it, for all databases that come one after another.
    leveldb::Status LockFile(const std::string& name, leveldb::FileLock** lock) override;
    leveldb::Status UnlockFile(leveldb::FileLock* lock) override;

private:
    class File;

    template <class Change>
    leveldb::Status change(const Change& work) {
        const std::shared_lock lock(mutex_);
        if (is_shut_) return leveldb::Status::IOError("the store is about to be opened anew");
        leveldb::Status done = work();
        // There may be nothing to rename.
        if (!done.ok() && !done.IsNotFound()) has_failed_ = true;
        return done;
    }
    void fence(leveldb::Status& opened, const std::string& name, leveldb::WritableFile** file);

    const std::function<bool()> must_keep_tables_;
    std::shared_mutex mutex_;
    bool is_shut_ = false;
    std::atomic<bool> has_failed_ = false;
    /// Outlives this object: LevelDB may be closed before its thread is back from the last one.
    std::shared_ptr<std::atomic<int>> merges_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace stele::kernel::storage
