#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"
#include "merge/merge_base.hpp"

namespace stele::nodes {

/// A node or association that the source has changed since the base.
struct ChangedRecord {
    std::string id;
    /// What of it is merged (`merged_part`).
    std::optional<sdk::Json> base;
    std::optional<sdk::Json> source;
    std::optional<sdk::Json> target;
    /// When the sides have last written it, epoch milliseconds; 0 where it is gone.
    std::int64_t source_ms = 0;
    std::int64_t target_ms = 0;
    /// A place in the tree, which its ends tell (merge/equal_places): the source has it, or had it,
    /// under these ids, and may never have had the record's own.
    bool is_told_by_ends = false;
    std::set<std::string> source_ids = {};

    bool is_changed_on_target() const;
    /// Those of the source's ids that are not its own.
    std::vector<std::string> other_ids() const;
};

/// When a record was written last, by what it says, epoch milliseconds; 0 where it does not say.
std::int64_t written_ms(const sdk::Json& record);

/// The last changeset that a branch shows, no newer than what the target's transaction knows.
sdk::Result<AncestryPoint> settled_tip(const BranchContent& source, const BranchContent& target,
                                       const sdk::Reader& past);

/// What the source of a merge has changed since the base, and what the target has made of the same.
/// Reads what was written on the source's lines since, and of the target those records alone: who
/// writes others there meanwhile is no conflict. To revert a changeset is a merge, too: its base is
/// what the changeset has made, and its source what was there before. The contents outlive it. One
/// thread at a time.
class MergeSides {
public:
    /// `past` is a picture of the store, no older than the transaction, and outlives this.
    static sdk::Result<MergeSides> open(const BranchContent& source, const BranchContent& target,
                                        const sdk::Reader& past);
    /// Nothing where the changeset has not come into the target. `invalid` naming the parameter
    /// `id` where none comes before it.
    static sdk::Result<std::optional<MergeSides>> revert(const AncestryPoint& changeset,
                                                         const BranchContent& target,
                                                         const sdk::Reader& past);

    const MergeBase& base() const { return base_; }
    const AncestryPoint& source_tip() const { return source_tip_; }
    /// The target's own line with its last changeset there; 0 before its first.
    const AncestryPoint& target_tip() const { return target_tip_; }
    /// Whether everything of the source is in the target already.
    bool is_contained() const;
    /// What comes into the target by the merge.
    Coverage taken() const;

    /// Keys of records that the source's changesets wrote since, or the one that is reverted, each
    /// once; `too_large` (`nodes.merge_too_large`) beyond `most`.
    sdk::Result<std::vector<std::string>> written(std::size_t most) const;
    /// Nothing where the source has what the base has.
    sdk::Result<std::optional<ChangedRecord>> changed(std::string_view key) const;
    /// What the source has, as if both had nothing in common: it comes to a target that does not
    /// have it, whatever was there before.
    sdk::Result<ChangedRecord> fresh(std::string_view key) const;
    /// Whether the base has the record at all.
    sdk::Result<bool> is_in_base(std::string_view key) const;
    /// Whether either branch has taken over any record from another.
    bool takes_over() const { return has_adopted_; }
    /// What the base has of something that the view of a changeset shows, where that is known under
    /// any of these ids: also what one side has taken over of them since.
    sdk::Result<std::optional<sdk::Json>> base_of(const std::set<std::string>& ids,
                                                  const MergeBase::Read& read) const;
    /// What the common changesets show.
    sdk::Result<std::vector<const ViewReader*>> base_views() const;

    const ViewReader& source_view() const { return *source_view_; }
    const sdk::Reader& past() const { return *past_; }
    const VersionSpace& space() const { return *space_; }

private:
    MergeSides(MergeBase base, const sdk::Reader& past, std::shared_ptr<const VersionSpace> space,
               View source_view, const BranchContent& source, const BranchContent& target);

    /// The changesets up to which one side has taken over a record from the other, where that is
    /// later than what both have in common.
    sdk::Result<std::vector<AncestryPoint>> adopted(std::string_view key) const;
    /// But for those whose state of the record another one of them has taken over.
    sdk::Result<std::vector<AncestryPoint>> without_taken(std::vector<AncestryPoint> points,
                                                          const std::string& id) const;
    sdk::Result<MergeBase::Record> base_of(std::string_view key) const;
    sdk::Result<ChangedRecord> read_source(std::string_view key, const SideVersion& version) const;
    sdk::Result<void> read_target(std::string_view key, ChangedRecord& found) const;
    /// What of a record is merged, as it says that on the target.
    sdk::Result<sdk::Json> part_of(const sdk::Json& record) const;
    sdk::Result<void> name_on_target(sdk::Json& part) const;

    MergeBase base_;
    const sdk::Reader* past_;
    std::shared_ptr<const VersionSpace> space_;
    std::unique_ptr<ViewReader> source_view_;
    const BranchContent* source_;
    const BranchContent* target_;
    AncestryPoint source_tip_;
    AncestryPoint target_tip_;
    bool has_adopted_ = false;
    /// Of nodes of the target (`node_address`).
    std::string address_;
    /// Paths of properties that name nodes, by types.
    mutable std::map<std::string, std::vector<std::string>> naming_;
};

}  // namespace stele::nodes
