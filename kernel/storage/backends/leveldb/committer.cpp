#include "kernel/storage/backends/leveldb/committer.hpp"

#include <algorithm>
#include <memory>

#include <leveldb/db.h>
#include <leveldb/iterator.h>

#include "kernel/storage/backends/leveldb/slice.hpp"
#include "kernel/storage/backends/leveldb/store_error.hpp"

namespace stele::kernel::storage {

namespace {

using sdk::optimistic::hash_key;
using sdk::optimistic::is_inside;

/// With less room than this a failed write is put down to the disk being full.
constexpr std::uint64_t kCompactionBytes = 8 * 1024 * 1024;

/// What a merge that failed says of itself.
constexpr char kMergeFailed[] = "a file could not be written while tables were merged";

sdk::Error write_failed(std::string reason) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "engine.write_failed",
                           "The store cannot be written at the moment.", std::move(reason));
}

/// What stamps, adds or removes ranges is told by what others write.
sdk::Result<void> check_unchecked(const WriteSet& writes) {
    if (writes.counters().empty() && writes.removed_ranges().empty()) return {};
    return sdk::make_error(sdk::ErrorKind::internal, "engine.unchecked_unfit",
                           "The store was told to write something in a way that it does not know.",
                           "a transaction without checks only puts and removes single entries");
}

sdk::Error conflict() {
    return sdk::make_error(sdk::ErrorKind::conflict, "engine.conflict",
                           "The data was changed by somebody else meanwhile.");
}

}  // namespace

Committer::Committer(ReopenableDatabase& database, RowCache& rows, DamageNotes& damage,
                     PresentState& present, DiskGuard disk, const MergeSizes& sizes,
                     bool is_durable, std::size_t history_bytes)
    : database_(database),
      rows_(rows),
      damage_(damage),
      present_(present),
      disk_(std::move(disk)),
      is_durable_(is_durable),
      merge_room_(database, sizes),
      most_history_bytes_(history_bytes),
      history_(history_bytes),
      counters_(database, damage) {
    present_.publish(database_, rows_, damage_, version_, [] {});
    thread_ = std::thread([this] { run(); });
}

Committer::~Committer() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    merge_room_.stop();
    arrived_.notify_one();
    thread_.join();
}

sdk::Result<void> Committer::status() const {
    auto noted = failure_.status();
    // LevelDB may have met it since the last commit, and tells only who writes next.
    if (noted && database_.has_failed()) return write_failed(kMergeFailed);
    return noted;
}

void Committer::submit(PendingCommit& commit) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        is_first = queue_.empty();
        queue_.push_back(&commit);
    }
    if (is_first) arrived_.notify_one();
}

void Committer::observe(std::string prefix, sdk::CommitObserver observer) {
    const std::lock_guard lock(observers_mutex_);
    observers_.push_back({std::move(prefix), std::move(observer)});
}

void Committer::run() {
    while (true) {
        {
            std::unique_lock lock(mutex_);
            const auto is_called = [this] { return is_stopping_ || !queue_.empty(); };
            arrived_.wait_for(lock, WriteFailure::kBetweenTries, is_called);
            if (is_stopping_ && queue_.empty()) return;
            waiting_.swap(queue_);
        }
        if (failure_.status() && database_.has_failed()) note_failure(kMergeFailed);
        if (failure_.may_pass()) reopen();
        database_.close_unused();
        for (std::size_t next = 0; next < waiting_.size();)
            next = commit_batch(next);
        waiting_.clear();
    }
}

std::size_t Committer::commit_batch(std::size_t first) {
    history_.begin_batch(++version_);
    accepted_ = 0;
    unchecked_.clear();
    merge_room_.begin_batch();
    const sdk::Result<void> disk = disk_.refresh();
    std::size_t end = first;
    for (; end < waiting_.size(); ++end) {
        PendingCommit& commit = *waiting_[end];
        if (commit.is_question) {
            commit.outcome = answer(commit);
            continue;
        }
        if (accepted_ > 0 && needs_new_batch(*commit.writes)) break;
        commit.outcome = disk ? admit(commit) : disk;
        if (commit.outcome) ++accepted_;
    }
    if (accepted_ > 0) {
        counters_.flush(batch_);
        if (const sdk::Result<void> written = write_batch(); written) {
            publish();
        } else {
            for (std::size_t i = first; i < end; ++i)
                if (waiting_[i]->outcome && !waiting_[i]->is_question)
                    waiting_[i]->outcome = written;
        }
    }
    history_grown_ = history_.grown();
    for (std::size_t i = first; i < end; ++i) {
        // The transaction may be gone as soon as it is told.
        const sdk::Transaction::Done done = std::move(waiting_[i]->done);
        done(std::move(waiting_[i]->outcome));
    }
    return end;
}

bool Committer::needs_new_batch(const WriteSet& writes) const {
    // What a range removes and what a counter holds is looked up in the database, which does not
    // know the present batch yet.
    if (!writes.removed_ranges().empty()) return true;
    if (batch_.ApproximateSize() + writes.size() > kMaxBatchBytes) return true;
    return std::any_of(
        writes.counters().begin(), writes.counters().end(), [this](const auto* entry) {
            const auto& [key, write] = *entry;
            return write.kind == WriteSet::Kind::add && history_.is_written_in_batch(write.hash) &&
                   !counters_.is_known(key, write.hash);
        });
}

sdk::Result<void> Committer::answer(const PendingCommit& question) {
    if (history_.has_conflict(*question.reads, question.read_version)) return conflict();
    return {};
}

sdk::Result<void> Committer::admit(PendingCommit& commit) {
    if (auto state = failure_.status(); !state) return state;
    const WriteSet& writes = *commit.writes;
    if (commit.is_unchecked) {
        if (auto fit = check_unchecked(writes); !fit) return fit;
    } else if (history_.has_conflict(*commit.reads, commit.read_version)) {
        return conflict();
    }
    if (!fits_disk(commit)) return DiskGuard::full("less than the reserve would be left");
    if (commit.is_unchecked) {
        append_unchecked(writes);
        return {};
    }
    if (auto loaded = load_counters(writes); !loaded) return loaded;
    if (!fits_bounds(writes)) return conflict();
    if (auto removed = remove_ranges(commit); !removed) {
        batch_.Clear();
        return removed;
    }
    give_stamps(commit);
    append(commit);
    return {};
}

bool Committer::fits_bounds(const WriteSet& writes) const {
    return std::all_of(writes.counters().begin(), writes.counters().end(),
                       [this](const auto* entry) {
                           const WriteSet::Write& write = entry->second;
                           return write.kind != WriteSet::Kind::add || write.delta <= 0 ||
                                  counters_.value(write.hash) <= write.most - write.delta;
                       });
}

sdk::Result<void> Committer::load_counters(const WriteSet& writes) {
    for (const auto* entry : writes.counters()) {
        const auto& [key, write] = *entry;
        if (write.kind != WriteSet::Kind::add || counters_.is_known(key, write.hash)) continue;
        if (auto loaded = counters_.load(key, write.hash); !loaded) return loaded;
    }
    return {};
}

bool Committer::fits_disk(const PendingCommit& commit) {
    const WriteSet& writes = *commit.writes;
    const std::uint64_t bytes = batch_.ApproximateSize() + writes.size();
    const bool is_urgent = commit.is_urgent || writes.only_removes();
    merge_room_.wait(disk_, bytes, is_urgent, removed_);
    return disk_.fits(bytes, writes.only_removes() ? 0 : writes.size(), is_urgent);
}

void Committer::append_remove(std::string_view key, std::uint64_t hash) {
    history_.add(key, hash);
    batch_.Delete(slice(key));
    counters_.overwrite(key, hash, nullptr);
    removed_.add(key);
}

sdk::Result<void> Committer::remove_ranges(const PendingCommit& commit) {
    const WriteSet& writes = *commit.writes;
    if (writes.removed_ranges().empty()) return {};
    leveldb::ReadOptions options;
    options.fill_cache = false;
    options.verify_checksums = true;
    const std::unique_ptr<leveldb::Iterator> stored(database_.NewIterator(options));
    for (const sdk::KeyRange& range : writes.removed_ranges()) {
        for (stored->Seek(range.begin); stored->Valid(); stored->Next()) {
            const std::string_view key(stored->key().data(), stored->key().size());
            if (!is_inside(key, range.begin, range.end)) break;
            append_remove(key, hash_key(key));
        }
        if (!stored->status().ok()) return read_error(stored->status(), damage_);
    }
    if (!fits_disk(commit))
        return DiskGuard::full("removing the range would leave less than the reserve");
    return {};
}

void Committer::give_stamps(PendingCommit& commit) const {
    for (const auto& [counter, taken] : commit.writes->stamp_counters()) {
        const WriteSet::Write& write = *commit.writes->find(counter);
        commit.stamps.emplace_back(counter, sdk::optimistic::first_taken(
                                                counters_.value(write.hash) + write.delta, taken));
    }
}

void Committer::append_put(std::string_view key, std::string_view value, std::uint64_t hash) {
    history_.add(key, hash);
    batch_.Put(slice(key), slice(value));
    counters_.overwrite(key, hash, &value);
}

void Committer::append_unchecked(const WriteSet& writes) {
    for (const auto& [key, write] : writes.writes()) {
        if (write.kind == WriteSet::Kind::put) batch_.Put(slice(key), slice(write.value));
        if (write.kind == WriteSet::Kind::remove) {
            batch_.Delete(slice(key));
            removed_.add(key);
        }
    }
    unchecked_.push_back(&writes);
}

void Committer::append(const PendingCommit& commit) {
    for (const auto& [key, write] : commit.writes->writes()) {
        switch (write.kind) {
            case WriteSet::Kind::put:
                if (write.stamped != nullptr) {
                    const WriteSet::StampedEntry entry = WriteSet::write_stamp(
                        key, write, commit.stamps, stamped_key_, stamped_value_);
                    append_put(entry.key, entry.value, entry.hash);
                } else {
                    append_put(key, write.value, write.hash);
                }
                break;
            case WriteSet::Kind::remove:
                append_remove(key, write.hash);
                break;
            case WriteSet::Kind::add:
                history_.add(key, write.hash);
                counters_.add(write.hash, write.delta);
                break;
        }
    }
}

sdk::Result<void> Committer::write_batch() {
    leveldb::WriteOptions options;
    options.sync = is_durable_;
    const leveldb::Status status = database_.Write(options, &batch_);
    if (batch_.ApproximateSize() > kMaxKeptBytes) {
        batch_ = leveldb::WriteBatch();
    } else {
        batch_.Clear();
    }
    if (status.ok()) return {};
    if (status.IsCorruption()) {
        // LevelDB met it while it merged tables behind the commits.
        failure_.set_for_good(read_error(status, damage_));
        return failure_.status();
    }
    note_failure(status.ToString());
    return failure_.status();
}

void Committer::note_failure(const std::string& reason) {
    const bool is_full = disk_.refresh().has_value() && disk_.available() < kCompactionBytes;
    failure_.set(is_full ? DiskGuard::full(reason) : write_failed(reason));
}

void Committer::reopen() {
    const bool has_room = disk_.refresh().has_value() && disk_.has_room();
    if (!failure_.is_try_due(has_room)) return;
    if (const auto reopened = database_.reopen(); !reopened) {
        const bool is_damaged = reopened.error().kind == sdk::ErrorKind::internal;
        if (is_damaged) damage_.note(reopened.error().message);
        return is_damaged ? failure_.set_for_good(reopened.error())
                          : failure_.note_try(reopened.error());
    }
    disk_.note_opened();
    batch_.Clear();
    counters_.forget_everything();
    history_.forget_up_to(++version_);
    rows_.forget_everything(version_);
    history_.published(
        present_.publish(database_, rows_, damage_, version_, [this] { call_observers(true); }));
    failure_.clear();
}

void Committer::publish() {
    history_.batch_keys(written_keys_);
    removed_.publish(version_);
    for (const std::string_view key : written_keys_)
        rows_.forget(key, version_);
    for (const WriteSet* const writes : unchecked_) {
        for (const auto& [key, write] : writes->writes())
            rows_.forget(key, version_);
    }
    history_.published(
        present_.publish(database_, rows_, damage_, version_, [this] { call_observers(false); }));
}

void Committer::call_observers(bool is_everything) {
    const std::lock_guard lock(observers_mutex_);
    for (const Observer& observer : observers_) {
        observed_keys_.clear();
        if (is_everything) {
            observer.call({.keys = observed_keys_, .is_everything = true});
            continue;
        }
        std::copy_if(written_keys_.begin(), written_keys_.end(), std::back_inserter(observed_keys_),
                     [&](std::string_view key) { return key.starts_with(observer.prefix); });
        if (!observed_keys_.empty()) observer.call({.keys = observed_keys_});
    }
}

}  // namespace stele::kernel::storage
