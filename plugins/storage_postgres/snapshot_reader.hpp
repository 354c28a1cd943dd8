#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "change_feed.hpp"
#include "pool.hpp"

namespace stele::storage_postgres {

/// Reads the store as of a view. Holds no connection between two reads, so any number of readers
/// may be open for any time.
class SnapshotReader final : public sdk::Reader {
public:
    /// A failed view is the failure of every read.
    SnapshotReader(Pool& pool, ChangeFeed& feed, EntryCache& cache, sdk::Result<View> view)
        : pool_(pool), feed_(feed), cache_(cache), view_(std::move(view)) {}

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;

    std::optional<std::uint64_t> state() const override;
    bool is_distant() const override { return cache_.keeps_something(); }
    void expect(const std::vector<sdk::KeyRange>& ranges) const override;

    const sdk::Result<View>& view() const { return view_; }
    /// Runs a statement whose first column is the horizon: below it, former values are gone.
    sdk::Result<Rows> read(Statement statement, const Parameters& parameters) const;
    /// Fails when nothing that this process knows of the store is worth anything.
    sdk::Result<void> status() const;

private:
    struct Unknown;
    void look_for(const Unknown& unknown) const;

    friend class ScanCursor;

    Pool& pool_;
    ChangeFeed& feed_;
    EntryCache& cache_;
    sdk::Result<View> view_;
};

}  // namespace stele::storage_postgres
