#include "tests/bench/commit/raw_group_commit.hpp"

#include <stdexcept>

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

namespace stele::bench {

RawGroupCommit::RawGroupCommit(const std::filesystem::path& folder) {
    leveldb::Options options;
    options.create_if_missing = true;
    options.compression = leveldb::kNoCompression;
    leveldb::DB* database = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, folder.string(), &database);
    if (!status.ok()) throw std::runtime_error(status.ToString());
    database_.reset(database);
    thread_ = std::thread([this] { run(); });
}

RawGroupCommit::~RawGroupCommit() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
}

void RawGroupCommit::commit(const Entries& entries) {
    Waiting waiting;
    waiting.entries = &entries;
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(&waiting);
        if (queue_.size() == 1) arrived_.notify_one();
    }
    std::unique_lock lock(waiting.mutex);
    waiting.done.wait(lock, [&] { return waiting.is_done; });
}

void RawGroupCommit::run() {
    leveldb::WriteBatch batch;
    std::vector<Waiting*> taken;
    leveldb::WriteOptions synced;
    synced.sync = true;
    while (true) {
        {
            std::unique_lock lock(mutex_);
            arrived_.wait(lock, [this] { return is_stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            taken.swap(queue_);
        }
        for (const Waiting* waiting : taken)
            for (const auto& [key, value] : *waiting->entries)
                batch.Put(key, value);
        if (!database_->Write(synced, &batch).ok()) throw std::runtime_error("write failed");
        batch.Clear();
        for (Waiting* waiting : taken) {
            const std::lock_guard lock(waiting->mutex);
            waiting->is_done = true;
            waiting->done.notify_one();
        }
        taken.clear();
    }
}

}  // namespace stele::bench
