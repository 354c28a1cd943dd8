#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Two branches of one repository, by the keys of their records.
struct BranchPair {
    RecordKey source;
    RecordKey target;
};

struct BranchMergeOptions {
    /// Nothing is written.
    bool is_dry_run = false;
    /// The target may take no direct commits (`blockDirectCommits`): whoever asks this for somebody
    /// has made sure that they come in by something that such a branch is open to.
    bool passes_block = false;
    /// `BranchMergeOutcome::changes` is wanted.
    bool tells_changes = false;
};

/// What came of a merge, or would (docs/reference/merge.md).
struct BranchMergeOutcome {
    /// The target has all of the source now.
    bool is_merged = false;
    std::size_t conflicts = 0;
    /// What `POST {BR}/merge` answers.
    Json report = Json::object();
    /// A row for each node that the merge makes, changes, moves or removes, in no order that means
    /// something: `nodeId`, `operation` (`create`, `update`, `delete`), `title`, `_type`, `_qname`,
    /// `path` where it has one, `members` that change, `moved`, `conflict`.
    std::vector<Json> changes = {};
    /// What the target would refuse, a row each: `nodeId`, `title`, `code`, `message`.
    std::vector<Json> faults = {};
    /// Names the changeset that the merge makes, for `changeset_id`; empty where it makes none.
    std::string changeset = {};
};

/// Merges of branches, for plugins that say when they happen: reviews, releases, flows. Each acts
/// with the rights of whoever the context is for, as `POST {BR}/merge` does: `forbidden` and
/// `too_large` as there, `conflict` where the changes do not go together is no failure but an
/// outcome. Published by the plugin that keeps branches. Any thread.
class BranchMerging {
public:
    virtual ~BranchMerging();

    /// In the context's transaction. What does not go together becomes records that people decide,
    /// unless it is a dry run, and is committed with the transaction.
    virtual Result<BranchMergeOutcome> merge(Context& context, const BranchPair& branches,
                                             const BranchMergeOptions& options) = 0;
    /// What a merge would change, rows as `BranchMergeOutcome::changes`, of what whoever the
    /// context is for may READ: neither rights to write nor what keeps the target from it count,
    /// and conflicts that people have decided are conflicts still.
    virtual Result<std::vector<Json>> changes(Context& context, const BranchPair& branches) = 0;
    /// Does all of a merge for the principal and takes it back, so that it also knows what the
    /// target would refuse. Waits: not on a thread that serves connections, nor inside an
    /// operation.
    virtual Result<BranchMergeOutcome> rehearse(const PlatformScope& platform,
                                                const Principal& principal,
                                                const BranchPair& branches,
                                                const BranchMergeOptions& options) = 0;
    /// The id of the changeset that a merge has made of a branch, once that is committed; empty
    /// where the branch was reset since.
    virtual Result<std::string> changeset_id(const RecordKey& branch,
                                             std::string_view changeset) = 0;
    /// The id of the changeset at the tip of a branch.
    virtual Result<std::string> tip(Context& context, const RecordKey& branch) = 0;
};

}  // namespace stele::sdk
