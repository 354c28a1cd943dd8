#pragma once

#include <stele/sdk/optimistic/buffered_transaction.hpp>

#include "committer.hpp"
#include "snapshot_reader.hpp"

namespace stele::storage_postgres {

class PostgresTransaction final : public sdk::optimistic::BufferedTransaction {
public:
    PostgresTransaction(Pool& pool, ChangeFeed& feed, EntryCache& cache, Committer& committer,
                        sdk::Result<View> view)
        : reader_(pool, feed, cache, std::move(view)), committer_(committer) {}

    void commit(Done done) override;
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return sdk::optimistic::find_stamp(pending_.stamps, counter);
    }

private:
    const sdk::Reader& stored() const override { return reader_; }

    SnapshotReader reader_;
    Committer& committer_;
    PendingCommit pending_;
};

}  // namespace stele::storage_postgres
