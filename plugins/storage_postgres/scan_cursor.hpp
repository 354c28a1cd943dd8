#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

#include "keys.hpp"
#include "rows.hpp"

namespace stele::storage_postgres {

class SnapshotReader;

/// Walks a range of a snapshot, some rows ahead; each further look ahead is longer.
class ScanCursor final : public sdk::Cursor {
public:
    ScanCursor(const SnapshotReader& reader, sdk::KeyRange range, sdk::ScanDirection direction);

    bool is_valid() const override { return row_ < size_; }
    std::string_view key() const override { return rows_.bytes(row_, 1); }
    std::string_view value() const override { return rows_.bytes(row_, 2); }
    void next() override;
    void seek(std::string_view key) override;
    sdk::Result<void> status() const override { return status_; }

private:
    std::string_view key_at(int row) const { return rows_.bytes(row, 1); }
    /// Reads the rows from the edge of `from` on in scan direction: its begin, or its end.
    void fetch(sdk::KeyRange from);
    void stop();

    const SnapshotReader& reader_;
    sdk::KeyRange range_;
    bool is_forward_;
    Rows rows_;
    int size_ = 0;
    int row_ = 0;
    int wanted_;
    /// The part of the range that the rows are all of.
    sdk::KeyRange covered_;
    bool is_last_ = false;
    sdk::Result<void> status_;
};

}  // namespace stele::storage_postgres
