#pragma once

#include <memory>
#include <optional>

#include <stele/sdk/movable_snapshot.hpp>
#include <stele/sdk/optimistic/buffered_transaction.hpp>
#include <stele/sdk/unchecked_writes.hpp>

#include "kernel/storage/backends/leveldb/committer.hpp"
#include "kernel/storage/backends/leveldb/snapshot.hpp"
#include "kernel/storage/backends/leveldb/snapshot_reader.hpp"

namespace stele::kernel::storage {

/// Reads a snapshot, keeps its writes to itself, and leaves it to the committer to find out whether
/// its reads still hold.
class LevelDbTransaction final : public sdk::optimistic::BufferedTransaction,
                                 public sdk::UncheckedWrites,
                                 public sdk::MovableSnapshot {
public:
    LevelDbTransaction(PresentState::View view, Committer& committer)
        : reader_(std::in_place, std::move(view.snapshot)),
          pin_(std::move(view.pin)),
          committer_(committer),
          history_at_begin_(committer.history_grown()) {}

    void commit(Done done) override;
    void set_urgent() override { pending_.is_urgent = true; }
    void set_unchecked() override {
        pending_.is_unchecked = true;
        note_no_reads();
    }
    std::unique_ptr<sdk::Transaction> begin_next() override;
    void leave_previous() override;
    sdk::Result<bool> move_on(sdk::MoveOn when) override;
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return sdk::optimistic::find_stamp(pending_.stamps, counter);
    }

private:
    /// An unchecked one behind another.
    explicit LevelDbTransaction(const LevelDbTransaction* previous)
        : previous_(previous), pin_(previous->pin_), committer_(previous->committer_) {
        pending_.is_unchecked = true;
        note_no_reads();
    }

    const sdk::Reader& stored() const override {
        return previous_ != nullptr ? static_cast<const sdk::Reader&>(*previous_) : *reader_;
    }

    /// What this one reads until it has left it; null for most.
    const LevelDbTransaction* previous_ = nullptr;
    /// Whether another one reads this one.
    bool is_followed_ = false;
    /// Given back with the commit unless another one reads it; the engine may end before the
    /// transaction then.
    std::optional<SnapshotReader> reader_;
    std::shared_ptr<const VersionPin> pin_;
    Committer& committer_;
    /// When it began, or moved on last.
    std::uint64_t history_at_begin_ = 0;
    /// A conflict once what it has read was changed.
    sdk::Result<void> outlook_;
    PendingCommit pending_;
};

}  // namespace stele::kernel::storage
