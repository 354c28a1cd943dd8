#include "kernel/storage/backends/leveldb/fenced_env.hpp"

#include <memory>
#include <mutex>

#include <leveldb/slice.h>
#include <leveldb/status.h>

namespace stele::kernel::storage {

class FencedEnv::File final : public leveldb::WritableFile {
public:
    File(std::unique_ptr<leveldb::WritableFile> file, bool is_table, FencedEnv& env)
        : file_(std::move(file)), is_table_(is_table), env_(env) {}

    leveldb::Status Append(const leveldb::Slice& bytes) override {
        return env_.change([&] { return file_->Append(bytes); });
    }
    leveldb::Status Close() override {
        return env_.change([&] { return file_->Close(); });
    }
    /// LevelDB asks for it after each block of 4 KiB of a table, which nobody reads before it is
    /// synced and closed.
    leveldb::Status Flush() override {
        if (is_table_) return leveldb::Status::OK();
        return env_.change([&] { return file_->Flush(); });
    }
    leveldb::Status Sync() override {
        return env_.change([&] { return file_->Sync(); });
    }

private:
    std::unique_ptr<leveldb::WritableFile> file_;
    const bool is_table_;
    FencedEnv& env_;
};

namespace {

/// Nothing to hold.
class NoLock final : public leveldb::FileLock {};

bool is_table(const std::string& name) {
    return name.ends_with(".ldb") || name.ends_with(".sst");
}

}  // namespace

FencedEnv::FencedEnv(leveldb::Env& below, std::function<bool()> must_keep_tables)
    : leveldb::EnvWrapper(&below), must_keep_tables_(std::move(must_keep_tables)) {
    // LevelDB begins its thread with the first work for it, which may be that of a job: it would
    // have a job's low priority, and all writers wait for it.
    below.Schedule([](void*) {}, nullptr);
}

void FencedEnv::shut() {
    const std::unique_lock lock(mutex_);
    is_shut_ = true;
}

void FencedEnv::Schedule(void (*work)(void*), void* of) {
    struct Merge {
        void (*work)(void*);
        void* of;
        std::shared_ptr<std::atomic<int>> merges;
    };
    ++*merges_;
    const auto run = [](void* scheduled) {
        const std::unique_ptr<Merge> merge(static_cast<Merge*>(scheduled));
        merge->work(merge->of);
        --*merge->merges;
    };
    target()->Schedule(run, new Merge{work, of, merges_});
}

void FencedEnv::fence(leveldb::Status& opened, const std::string& name,
                      leveldb::WritableFile** file) {
    if (!opened.ok()) return;
    *file = new File(std::unique_ptr<leveldb::WritableFile>(*file), is_table(name), *this);
}

leveldb::Status FencedEnv::NewWritableFile(const std::string& name, leveldb::WritableFile** file) {
    return change([&] {
        // A new file, not the shortened one of a database before, which may still hold it open:
        // what that one has in its memory goes into its file when it is closed.
        target()->RemoveFile(name);
        leveldb::Status opened = target()->NewWritableFile(name, file);
        fence(opened, name, file);
        return opened;
    });
}

leveldb::Status FencedEnv::NewAppendableFile(const std::string& name,
                                             leveldb::WritableFile** file) {
    return change([&] {
        leveldb::Status opened = target()->NewAppendableFile(name, file);
        fence(opened, name, file);
        return opened;
    });
}

leveldb::Status FencedEnv::RemoveFile(const std::string& name) {
    if (is_table(name) && must_keep_tables_()) return leveldb::Status::OK();
    // LevelDB does without, and tries again.
    const std::shared_lock lock(mutex_);
    if (is_shut_) return leveldb::Status::IOError("the store is about to be opened anew");
    return target()->RemoveFile(name);
}

leveldb::Status FencedEnv::RenameFile(const std::string& from, const std::string& to) {
    return change([&] { return target()->RenameFile(from, to); });
}

leveldb::Status FencedEnv::LockFile(const std::string& /*name*/, leveldb::FileLock** lock) {
    *lock = new NoLock();
    return leveldb::Status::OK();
}

leveldb::Status FencedEnv::UnlockFile(leveldb::FileLock* lock) {
    delete static_cast<NoLock*>(lock);
    return leveldb::Status::OK();
}

}  // namespace stele::kernel::storage
