#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

#include <leveldb/db.h>

#include <stele/sdk/optimistic/commit_history.hpp>

#include "kernel/storage/backends/leveldb/row_cache.hpp"
#include "kernel/storage/check/damage_notes.hpp"

namespace stele::kernel::storage {

using sdk::optimistic::VersionPin;

/// The versions of all states that can still be read. Any thread.
class OpenVersions {
public:
    void add(std::uint64_t version) {
        const std::lock_guard lock(mutex_);
        versions_.insert(version);
    }
    void remove(std::uint64_t version) {
        const std::lock_guard lock(mutex_);
        versions_.erase(versions_.find(version));
    }
    /// There is one.
    std::uint64_t oldest() const {
        const std::lock_guard lock(mutex_);
        return *versions_.begin();
    }

private:
    mutable std::mutex mutex_;
    std::multiset<std::uint64_t> versions_;
};

/// A state of the store. Shared by all who read between two commits, because taking one from
/// LevelDB costs its lock.
class Snapshot {
public:
    Snapshot(leveldb::DB& database, RowCache& rows, DamageNotes& damage, std::uint64_t version,
             OpenVersions& open)
        : database_(database),
          rows_(rows),
          damage_(damage),
          snapshot_(database.GetSnapshot()),
          version_(version),
          open_(open) {
        open_.add(version_);
    }
    ~Snapshot() {
        database_.ReleaseSnapshot(snapshot_);
        open_.remove(version_);
    }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

    leveldb::DB& database() const { return database_; }
    RowCache& rows() const { return rows_; }
    DamageNotes& damage() const { return damage_; }
    std::uint64_t version() const { return version_; }
    leveldb::ReadOptions read_options() const {
        leveldb::ReadOptions options;
        options.snapshot = snapshot_;
        options.fill_cache = true;
        // Of blocks that come from the disk; those in the cache were verified when they came in.
        options.verify_checksums = true;
        return options;
    }

private:
    leveldb::DB& database_;
    RowCache& rows_;
    DamageNotes& damage_;
    const leveldb::Snapshot* snapshot_;
    std::uint64_t version_;
    OpenVersions& open_;
};

/// The state that new readers see. Any thread.
class PresentState {
public:
    struct View {
        std::shared_ptr<const Snapshot> snapshot;
        std::shared_ptr<const VersionPin> pin;
    };

    View view() const {
        const std::lock_guard lock(mutex_);
        return present_;
    }
    std::shared_ptr<const Snapshot> snapshot() const {
        const std::lock_guard lock(mutex_);
        return present_.snapshot;
    }
    std::uint64_t version() const { return snapshot()->version(); }
    /// Whether nobody reads a state before `version` any more.
    bool is_past(std::uint64_t version) const {
        const std::lock_guard lock(mutex_);
        const std::uint64_t oldest = open_.oldest();
        if (oldest >= version) return true;
        // Also when nobody reads at all, and this is the only one that is kept.
        return oldest == present_.snapshot->version() && present_.snapshot.use_count() == 1;
    }
    /// Makes what the database holds now visible as `version`. Nobody gets to see it before `tell`
    /// has returned, which therefore must not read.
    template <class Tell>
    std::shared_ptr<const VersionPin> publish(leveldb::DB& database, RowCache& rows,
                                              DamageNotes& damage, std::uint64_t version,
                                              const Tell& tell) {
        View next{std::make_shared<const Snapshot>(database, rows, damage, version, open_),
                  std::make_shared<const VersionPin>(VersionPin{version})};
        auto pin = next.pin;
        // The former state is given back outside the lock.
        const std::lock_guard lock(mutex_);
        std::swap(present_, next);
        tell();
        return pin;
    }

private:
    OpenVersions open_;
    mutable std::mutex mutex_;
    View present_;
};

}  // namespace stele::kernel::storage
