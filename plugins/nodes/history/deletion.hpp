#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// Member of a deletion that says of what, when and by whom.
inline constexpr char kDeletionMember[] = "_deletion";

/// The deletions of a branch.
sdk::CollectionName deletions_of(const BranchContent& content);
/// The deletions of a node's associations that have it at one of the ends (`source`, `target`), in
/// the order in which they were made.
sdk::Result<std::vector<sdk::Document>> deleted_associations(
    const BranchContent& content, std::string_view node, std::initializer_list<const char*> ends);
/// Id and revision of the changeset that removed what the deletion is of; nothing before it is
/// committed.
std::string changeset_of_deletion(const sdk::Json& deletion);
std::optional<Revision> revision_of_deletion(const sdk::Json& deletion);

/// What goes with a node (docs/specification/nodes.md 7.6), beside its associations: what it owns,
/// and what lies in it when it is a container and nowhere else. Ids, the node itself first, each
/// once.
sdk::Result<std::vector<std::string>> closure_of(const BranchContent& content,
                                                 const sdk::Document& node);

/// Removes everything that goes with a node that is about to be removed, leaves a deletion for it
/// and for its associations, and takes those away.
sdk::Result<void> remove_what_depends(const BranchContent& content, const sdk::Document& node);

/// What an update of the node would have kept, for one of its id that comes back: it is whose it
/// was, like the versions that go on with it. Nothing where the id has no version here.
sdk::Result<void> keep_system(const BranchContent& content, const std::string& node);

/// Before something comes back under the id of what was deleted here: takes its deletion away,
/// where there is one. Needs READ and UPDATE on it: `conflict` (`nodes.deletion_kept`).
sdk::Result<void> forget_deletion(const BranchContent& content, const std::string& id);

/// Brings a deleted node back under its id, with its attachments, its maker and the associations
/// whose ends both live; the deletion goes. `not_found` (`document.unknown`) when there is no such
/// deletion, `conflict` (`nodes.deletion_end_missing`) for an association without one of its ends,
/// and
/// (`document.value_taken`, `nodes.deletion_name_taken`) for a node whose QName or name in its
/// folder another one has by now. Members that are `given` replace those of a node. A node whose
/// folders are all gone comes to lie in the root.
sdk::Result<sdk::Document> restore_deletion(const BranchContent& content, std::string_view id,
                                            const sdk::Json& given = sdk::Json::object());

/// The same of an association, a deletion that was read, where the caller knows that both of its
/// ends are there: those of one node do not each read it. One that stands for a property does so
/// again.
sdk::Result<void> restore_association(const BranchContent& content, const sdk::Document& deletion);

}  // namespace stele::nodes
