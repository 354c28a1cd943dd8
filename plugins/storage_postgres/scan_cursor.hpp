#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "entry_cache.hpp"
#include "keys.hpp"

namespace stele::storage_postgres {

class SnapshotReader;

/// Walks a range of a snapshot, some rows ahead; each further look ahead is longer.
class ScanCursor final : public sdk::Cursor {
public:
    ScanCursor(const SnapshotReader& reader, sdk::KeyRange range, sdk::ScanDirection direction);

    bool is_valid() const override { return row_ < entries_.size(); }
    std::string_view key() const override { return entries_[row_].key; }
    std::string_view value() const override { return entries_[row_].value; }
    void next() override;
    void seek(std::string_view key) override;
    sdk::Result<void> status() const override { return status_; }

private:
    /// Reads the entries from the edge of `from` on in scan direction: its begin, or its end.
    void fetch(sdk::KeyRange from);
    /// From the cache, if it knows the first ones.
    bool find();
    void read();
    /// Behind the last of the entries: to the next ones.
    void go_on();
    void stop();

    const SnapshotReader& reader_;
    sdk::KeyRange range_;
    bool is_forward_;
    std::vector<Entry> entries_;
    std::size_t row_ = 0;
    int wanted_;
    /// The part of the range that the entries are all of.
    sdk::KeyRange covered_;
    bool is_last_ = false;
    sdk::Result<void> status_;
};

}  // namespace stele::storage_postgres
