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
          committer_(committer) {}

    void commit(Done done) override;
    void set_urgent() override { pending_.is_urgent = true; }
    void set_unchecked() override { pending_.is_unchecked = true; }
    void move_on() override;
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return sdk::optimistic::find_stamp(pending_.stamps, counter);
    }

private:
    const sdk::Reader& stored() const override { return *reader_; }

    /// Given back with the commit; the engine may end before the transaction then.
    std::optional<SnapshotReader> reader_;
    std::shared_ptr<const VersionPin> pin_;
    Committer& committer_;
    PendingCommit pending_;
};

}  // namespace stele::kernel::storage
