#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"
#include "merge/branch_merge.hpp"

namespace stele::nodes {

inline constexpr char kConflictType[] = "mergeConflict";

/// Members of conflicts (docs/reference/merge.md).
namespace conflict_member {
inline constexpr char kSourceBranch[] = "sourceBranchId";
inline constexpr char kTargetBranch[] = "targetBranchId";
inline constexpr char kReverted[] = "revertedChangesetId";
inline constexpr char kNode[] = "nodeId";
inline constexpr char kKind[] = "kind";
inline constexpr char kIsResolved[] = "resolved";
inline constexpr char kIsCommitted[] = "committed";
inline constexpr char kResolution[] = "resolution";
inline constexpr char kValue[] = "value";
inline constexpr char kIsForTarget[] = "targetOnly";
/// What the server goes by: ids of nodes and associations that it tells of, and what a decision for
/// the source writes.
inline constexpr char kMentions[] = "mentions";
inline constexpr char kWrites[] = "writes";
}  // namespace conflict_member

/// What a conflict was met in: a merge of one branch into another, or the reverting of a changeset.
struct ConflictOrigin {
    std::string repository;
    std::string source;
    std::string target;
    /// Empty for merges.
    std::string reverted = {};

    static ConflictOrigin of(const sdk::Json& conflict, std::string repository);
};

/// Conflicts of merges as records of their repository, which wait for people to decide them and
/// stay when that is committed. Inside the transaction of a context, with what the server may; who
/// asks was let in. One thread; the content outlives it.
class ConflictRecords {
public:
    /// Beyond these none become records.
    static constexpr std::size_t kMost = 10'000;
    static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
    /// Longer values are left out of records.
    static constexpr std::size_t kMostValueBytes = std::size_t{64} << 10;

    ConflictRecords(const BranchContent& target, ConflictOrigin origin)
        : target_(target), origin_(std::move(origin)) {}

    /// Those of the origin that are not committed.
    sdk::Result<std::vector<sdk::Document>> open() const;
    /// What people have decided of these. Before `keep` or `commit`, which go by what it has read.
    sdk::Result<ConflictDecisions> decisions();
    /// Makes records of what a merge has met: whoever merges owns the new ones and may see the
    /// others. Those that are neither among the conflicts nor decided by their keys go. The ids, in
    /// the order of the conflicts; none beyond the bounds.
    sdk::Result<std::vector<std::string>> keep(const std::vector<MergeConflict>& conflicts,
                                               const std::set<std::string>& decided);
    /// What was decided is in the target now; what was not met goes.
    sdk::Result<void> commit(const std::set<std::string>& decided);
    /// How many of them nobody has decided.
    sdk::Result<std::uint64_t> open_count() const;

private:
    sdk::CollectionName collection() const { return {kConflictType, origin_.repository}; }
    sdk::Json condition() const;
    sdk::Documents& documents() const { return target_.context().documents(); }
    sdk::Json record_of(const MergeConflict& conflict) const;
    sdk::Result<std::string> make(const MergeConflict& conflict);
    sdk::Result<void> ask_again(const sdk::Document& record);

    const BranchContent& target_;
    ConflictOrigin origin_;
    std::vector<sdk::Document> read_;
};

/// Merges, with what people have decided (`options.decisions` are found here); conflicts become
/// records where whoever merges may write to the target and it is no dry run.
[[nodiscard]] sdk::Result<MergeReport> merge_with_decisions(const BranchContent& source,
                                                            const BranchContent& target,
                                                            MergeOptions options);
/// What people have decided of conflicts between two branches.
[[nodiscard]] sdk::Result<ConflictDecisions> decisions_between(const BranchContent& source,
                                                               const BranchContent& target);
/// As `merge_with_decisions`, for `revert_changeset`.
[[nodiscard]] sdk::Result<MergeReport> revert_with_decisions(const BranchContent& target,
                                                             std::string_view changeset,
                                                             bool is_dry_run);

}  // namespace stele::nodes
