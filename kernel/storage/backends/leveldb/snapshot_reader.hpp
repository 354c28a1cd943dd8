#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/backends/leveldb/snapshot.hpp"

namespace stele::kernel::storage {

sdk::Result<bool> read_key(const Snapshot& snapshot, std::string_view key, std::string& value);

/// Walks a range of a snapshot, which must outlive the cursor.
std::unique_ptr<sdk::Cursor> scan_snapshot(const Snapshot& snapshot, sdk::KeyRange range,
                                           sdk::ScanDirection direction);

/// A plain reader.
class SnapshotReader final : public sdk::Reader {
public:
    explicit SnapshotReader(std::shared_ptr<const Snapshot> snapshot)
        : snapshot_(std::move(snapshot)) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;
    std::optional<std::uint64_t> state() const override { return snapshot_->version(); }

private:
    std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace stele::kernel::storage
