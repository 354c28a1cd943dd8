#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>

#include "branch/branch_content.hpp"
#include "history/history.hpp"

namespace stele::nodes {

/// A stretch of what a branch shows: ids of changesets, empty for its first and its tip.
struct HistoryRange {
    std::string root;
    std::string tip;
    /// Whether the root itself counts; without a root everything does.
    bool includes_root = false;
};

/// The changesets of a stretch of a branch, newest first, by their places only.
struct BranchHistory {
    std::vector<VersionPlace> changesets;
    /// What the branch shows at the stretch's tip.
    View view;
    bool is_truncated = false;
};

/// At most `most`. `not_found` (`nodes.changeset_unknown`) for an end that the branch does not
/// show.
sdk::Result<BranchHistory> read_history(const BranchContent& content, const HistoryRange& range,
                                        std::size_t most);

/// What happened to a node in a stretch.
struct NodeChange {
    std::string node;
    VersionPlace first;
    VersionPlace last;
    bool is_removed = false;
};
struct NodeChanges {
    /// What changed last comes first.
    std::vector<NodeChange> changes;
    bool is_truncated = false;
};
/// Of at most `most` nodes and associations, those that the session's principal may READ.
sdk::Result<NodeChanges> read_changes(const BranchContent& content, const sdk::Session& session,
                                      const BranchHistory& history, std::size_t most);
/// As clients see it: the node, what was done to it and the patch over the whole stretch, which has
/// no more than `left` bytes and takes them off.
sdk::Result<sdk::Json> change_row(const BranchContent& content, const BranchHistory& history,
                                  const NodeChange& change, std::size_t& left);

/// Whether somebody may READ a node of the branch or, where it was removed, its deletion. Of what
/// was purged: whether they READ every node of the branch, and are who asks.
sdk::Result<bool> may_read_node(const BranchContent& content, const sdk::Session& session,
                                const std::string& node);

}  // namespace stele::nodes
