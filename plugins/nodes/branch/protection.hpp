#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Before anything is written to a branch: `forbidden` where the branch is archived, read-only,
/// frozen or takes no direct commits (docs/specification/nodes.md 4.4), unless the operation lifted
/// the protection (`Changes::lift_protection`).
sdk::Result<void> check_branch_writable(const BranchContent& content);
sdk::Result<void> check_branch_writable(Changes& changes, sdk::Context& context,
                                        const sdk::RecordKey& branch);

/// Who keeps others from changing a node. A row of the graph; the association that shows it
/// (`a:has_lock`, from the holder's person) follows from it.
struct NodeLock {
    std::string domain_id;
    std::string principal_id;
    std::string principal_name;
    std::int64_t since_ms = 0;

    bool is_held_by(const sdk::Principal& principal) const {
        return principal_id == principal.id && domain_id == principal.domain_id;
    }
};

/// Nothing when the node is not locked.
sdk::Result<std::optional<NodeLock>> lock_of(const BranchContent& content, std::string_view node);
/// Ids of the nodes that a principal has locked, at most `limit` of them.
sdk::Result<std::vector<std::string>> locks_held_by(const BranchContent& content,
                                                    std::string_view domain_id,
                                                    std::string_view principal_id,
                                                    std::size_t limit);
/// Part of a changeset; refused like other writes where the branch is protected.
sdk::Result<void> put_lock(const BranchContent& content, std::string_view node,
                           const NodeLock& lock);
sdk::Result<void> remove_lock(const BranchContent& content, std::string_view node);
/// The same where there is a lock, for a node that goes.
sdk::Result<void> forget_lock(const BranchContent& content, std::string_view node);

/// Says who holds a lock, and since when.
sdk::Error locked_error(std::string_view node, const NodeLock& lock);

/// `locked` (`nodes.locked`) where somebody else holds the node's lock and whoever acts is neither
/// a manager nor an owner of the node. The server itself passes.
sdk::Result<void> check_unlocked(const BranchContent& content, const sdk::Document& node);

}  // namespace stele::nodes
