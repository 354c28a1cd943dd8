#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "version_space.hpp"

namespace stele::nodes {

class ViewReader;

/// Walks the entries that a view shows, in key order: the present entries of its lines and, where
/// a line has ended entries since the end of its link, those of the blocks around that end. Of
/// several layers that know a key the nearest line decides. The reader outlives the cursor.
class LayeredCursor final : public sdk::Cursor {
public:
    LayeredCursor(const ViewReader& shows, sdk::KeyRange range, sdk::ScanDirection direction);

    bool is_valid() const override { return is_valid_; }
    std::string_view key() const override { return key_; }
    /// Of an entry its value; of a record the record, which is read when it is asked for.
    std::string_view value() const override;
    void next() override;
    void seek(std::string_view key) override;
    sdk::Result<void> status() const override { return status_; }

private:
    struct Layer {
        std::unique_ptr<sdk::Cursor> cursor;
        std::string prefix;
        Revision bound = kUncommitted;
        std::size_t rank = 0;
        bool is_past = false;
        /// Beyond the range, in scan direction.
        bool is_done = false;

        bool is_valid() const { return !is_done && cursor->is_valid(); }
        std::string_view key() const;
        bool is_shown() const;
    };

    bool is_forward() const { return direction_ == sdk::ScanDirection::forward; }
    /// The layers of a link that may have something to show.
    void open(std::size_t rank);
    void open(const std::string& prefix, std::size_t rank, bool is_past);
    void seek(Layer& layer, std::string_view key);
    /// Backwards: moves below the end of the range.
    void enter(Layer& layer);
    /// Moves on to the next entry of the range that the view shows.
    void settle(Layer& layer);
    void pass(Layer& layer, std::string_view key);
    bool is_before(const Layer& one, const Layer& other) const;
    void find();

    const ViewReader& shows_;
    const sdk::KeyRange range_;
    const sdk::ScanDirection direction_;
    std::vector<Layer> layers_;
    bool is_valid_ = false;
    std::string key_;
    std::string value_;
    mutable std::string record_;
    mutable bool is_record_read_ = false;
    mutable sdk::Result<void> status_;
};

/// What a view shows, as a store of its own. Entries, records and counts are those of the view;
/// plain keys are read below. Everything outlives the reader. One thread at a time.
class ViewReader final : public sdk::Reader {
public:
    ViewReader(const sdk::Reader& below, const VersionSpace& space, View view)
        : ViewReader(below, space, std::move(view), load_of(below, space, view)) {}

    const sdk::Reader& below() const { return below_; }
    const VersionSpace& space() const { return space_; }
    const View& view() const { return view_; }

    sdk::Result<std::optional<std::string>> get(std::string_view key) const override;
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override;
    /// Of counts at a tip and of plain keys; others never change, or are few.
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override;
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override;

    /// Whether a record shows; cheaper than reading it.
    sdk::Result<bool> contains(std::string_view record_key) const;

    struct Version {
        Line line = 0;
        Revision revision = 0;
        /// See `row_revision`.
        Revision in_row = 0;
    };
    /// The version of a record that shows; nothing when there is none. `record` gets its bytes, not
    /// packed.
    sdk::Result<std::optional<Version>> find_version(std::string_view key,
                                                     std::string& record) const;

    /// Where the versions of a record lie, from the latest one on that may show.
    sdk::KeyRange versions(std::string_view key) const;

    static constexpr int kNoLevel = kLowestLevel - 1;

    /// Where entries that a link may show lie: at the tip of its line, and among those that ended
    /// in blocks from `kLowestLevel` to the highest one here.
    struct Layers {
        bool has_present = true;
        int highest_level = kNoLevel;
    };
    Layers all_layers(std::size_t rank) const;
    /// Those of keys of one kind; of such a key or what they begin with.
    sdk::Result<Layers> layers(std::size_t rank, std::string_view key) const;

private:
    static std::optional<VersionCache::Load> load_of(const sdk::Reader& below,
                                                     const VersionSpace& space, const View& view) {
        return view.links.empty() ? std::nullopt : space.load_of(below, view.links.front().line);
    }
    ViewReader(const sdk::Reader& below, const VersionSpace& space, View&& view,
               std::optional<VersionCache::Load> load)
        : below_(load ? *load->reader : below), space_(space), view_(std::move(view)) {
        if (load) view_.newest = std::max(view_.newest, load->newest);
    }

    /// What a link says of an entry, with its head.
    sdk::Result<bool> find_stored(std::size_t rank, std::string_view key, std::string& value) const;
    sdk::Result<bool> find_ended(const Link& link, int highest_level, std::string_view key,
                                 std::string& value) const;
    sdk::Result<bool> get_entry(std::string_view key, std::string& value) const;
    sdk::Result<bool> get_count(std::string_view key, std::string& value) const;
    std::unique_ptr<sdk::Cursor> scan_counts(const sdk::KeyRange& range,
                                             sdk::ScanDirection direction) const;

    const sdk::Reader& below_;
    const VersionSpace& space_;
    View view_;
    /// What was read of kinds, by row; it changes when a transaction writes.
    mutable std::map<std::string, std::optional<KindNote>> kinds_;
};

}  // namespace stele::nodes
