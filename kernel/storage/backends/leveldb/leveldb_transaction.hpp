#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/optimistic/read_set.hpp>
#include <stele/sdk/optimistic/write_set.hpp>

#include "kernel/storage/backends/leveldb/committer.hpp"
#include "kernel/storage/backends/leveldb/snapshot.hpp"

namespace stele::kernel::storage {

/// Optimistic: reads a snapshot, keeps its writes to itself, and leaves it to the committer to find
/// out whether its reads still hold.
class LevelDbTransaction final : public sdk::Transaction {
public:
    LevelDbTransaction(const PresentState& present, Committer& committer)
        : committer_(committer), view_(present.view()) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override;

    void put(std::string_view key, std::string_view value) override;
    void remove(std::string_view key) override;
    void remove_range(sdk::KeyRange range) override;
    void add(std::string_view key, std::int64_t delta) override;
    sdk::Result<void> add_within(std::string_view key, std::int64_t delta,
                                 std::int64_t most) override;
    bool has_writes() const override { return !writes_.is_empty(); }

    void commit(Done done) override;

private:
    enum class Tracking { noted, unnoted };

    const Snapshot& snapshot() const { return *view_.snapshot; }
    sdk::Result<bool> look_up(std::string_view key, std::string& value, Tracking tracking) const;
    sdk::Result<std::optional<std::string>> look_up(std::string_view key, Tracking tracking) const;

    Committer& committer_;
    PresentState::View view_;
    mutable sdk::optimistic::ReadSet reads_;
    sdk::optimistic::WriteSet writes_;
    PendingCommit pending_;
};

}  // namespace stele::kernel::storage
