#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/engine.hpp>

#include "change_feed.hpp"
#include "pool.hpp"

namespace stele::storage_postgres {

/// Reads the store as of a view. Holds no connection between two reads, so any number of readers
/// may be open for any time.
class SnapshotReader final : public sdk::Reader {
public:
    /// A failed view is the failure of every read.
    SnapshotReader(Pool& pool, const ChangeFeed& feed, sdk::Result<View> view)
        : pool_(pool), feed_(feed), view_(std::move(view)) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;

    const sdk::Result<View>& view() const { return view_; }
    /// Runs a statement whose first column is the horizon: below it, former values are gone.
    sdk::Result<Rows> read(Statement statement, const Parameters& parameters) const;

private:
    Pool& pool_;
    const ChangeFeed& feed_;
    sdk::Result<View> view_;
};

}  // namespace stele::storage_postgres
