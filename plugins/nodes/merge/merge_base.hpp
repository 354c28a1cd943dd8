#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>

#include "version/ancestry.hpp"
#include "version/layered_cursor.hpp"

namespace stele::nodes {

/// A version of a record that a view shows, as it is stored; no revision where it shows none.
struct SideVersion {
    std::optional<Revision> revision;
    std::string bytes;

    static sdk::Result<SideVersion> of(const ViewReader& view, std::string_view key);
    /// The whole record. `internal` (`nodes.version_broken`).
    sdk::Result<std::optional<sdk::Json>> record() const;
};

/// What two branches of a repository have in common: their nearest common changesets
/// (docs/decisions/0171-the-base-of-a-merge.md). Where there are several, each record's base is
/// what these hold together, merged by what they themselves have in common. The store, a picture of
/// it, outlives this. One thread at a time.
class MergeBase {
public:
    /// Views as `Ancestry::settled` gives them, of different branches.
    static sdk::Result<MergeBase> find(const sdk::Reader& store, const VersionSpace& space,
                                       const View& source, const View& target);
    /// Of what takes a changeset back: that changeset, which alone is beyond what both have.
    static MergeBase of_revert(const sdk::Reader& store, const VersionSpace& space,
                               const AncestryPoint& changeset);

    /// The newest first; never none but in a store that is damaged.
    const std::vector<AncestryPoint>& points() const { return points_; }
    const Coverage& source() const { return source_; }
    const Coverage& target() const { return target_; }
    /// All that has come into both.
    const Coverage& common() const { return common_; }

    struct Record {
        /// What of it is merged (`merged_part`); nothing where it is not in the base.
        std::optional<sdk::Json> part;
        /// Of the one version that it is, where it is one.
        std::optional<Revision> revision;
    };
    sdk::Result<Record> record(std::string_view key) const;
    /// The same where one side has also taken over the record up to changesets of the other: what
    /// these and the common ones hold together, of those that none of the others has come from.
    sdk::Result<Record> record(std::string_view key, std::vector<AncestryPoint> adopted) const;
    /// What a common changeset shows.
    sdk::Result<const ViewReader*> view_at(const AncestryPoint& point) const;
    /// Whether a record is in the base; cheaper than reading it where that is one changeset.
    sdk::Result<bool> contains(std::string_view key) const;
    using Read = std::function<sdk::Result<std::optional<sdk::Json>>(const ViewReader&)>;
    /// What the base has of anything else that the view of a changeset shows or does not.
    /// `adopted` as for a record.
    sdk::Result<std::optional<sdk::Json>> joined(const Read& read,
                                                 std::vector<AncestryPoint> adopted) const;

private:
    MergeBase(const sdk::Reader& store, const VersionSpace& space)
        : store_(&store),
          space_(std::make_shared<const VersionSpace>(space)),
          ancestry_(store, space) {}

    /// The common changesets and others, without those that any of the rest has come from.
    sdk::Result<std::vector<AncestryPoint>> nearest_with(std::vector<AncestryPoint> adopted) const;
    sdk::Result<const Coverage*> behind(const AncestryPoint& point) const;
    /// Bases of bases, beyond which one changeset stands for several.
    static constexpr int kMostJoined = 32;

    sdk::Result<std::optional<sdk::Json>> joined(const std::vector<AncestryPoint>& points,
                                                 const Read& read, int left) const;
    sdk::Result<Record> record(std::string_view key, const std::vector<AncestryPoint>& points,
                               int left) const;
    using Join = std::function<sdk::Result<void>(std::size_t place,
                                                 const std::vector<AncestryPoint>& shared)>;
    /// Of several changesets each but the first, with what it and those before it have in common.
    sdk::Result<void> join_each(const std::vector<AncestryPoint>& points, const Join& join) const;

    const sdk::Reader* store_;
    /// Views refer to it.
    std::shared_ptr<const VersionSpace> space_;
    Ancestry ancestry_;
    std::vector<AncestryPoint> points_;
    Coverage source_;
    Coverage target_;
    Coverage common_;
    mutable std::map<std::pair<Line, Revision>, std::unique_ptr<ViewReader>> views_;
    mutable std::map<std::pair<Line, Revision>, Coverage> coverages_;
};

}  // namespace stele::nodes
