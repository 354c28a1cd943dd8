#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>

#include "branch/branch_content.hpp"
#include "version/version_space.hpp"

namespace stele::nodes {

/// Where a version of a node lies.
struct VersionPlace {
    Line line = 0;
    Revision revision = 0;
};

/// The versions of nodes that a branch shows. Lives within an operation; what that has written
/// itself is not among them. One thread at a time.
class History {
public:
    /// Of the branch's tip.
    explicit History(const BranchContent& content);
    History(const sdk::Reader& store, VersionSpace space, View view);

    struct Versions {
        /// Newest first; removals are left out.
        std::vector<VersionPlace> places;
        bool is_truncated = false;
    };
    /// Of one node, at most `most`. Only keys and states are looked at.
    sdk::Result<Versions> versions(std::string_view node, std::size_t most) const;
    /// The newest one; nothing when the branch never showed the node.
    sdk::Result<std::optional<VersionPlace>> newest(std::string_view node) const;
    /// The one before; nothing when there is none.
    sdk::Result<std::optional<VersionPlace>> before(std::string_view node,
                                                    const VersionPlace& version) const;
    /// What a changeset wrote of the node. `not_found` (`nodes.version_unknown`) where the branch
    /// shows no such version.
    sdk::Result<VersionPlace> find(std::string_view node, std::string_view changeset) const;

    /// The record as it was; nothing when there is no such version, or it says that the node went.
    sdk::Result<std::optional<sdk::Json>> read(std::string_view node,
                                               const VersionPlace& version) const;

private:
    /// Those up to `from`, newest first.
    sdk::Result<Versions> walk(std::string_view node, Revision from, std::size_t most) const;

    const sdk::Reader& store_;
    VersionSpace space_;
    View view_;
};

/// The newest version's record; `not_found` (`document.unknown`) where the branch never showed the
/// node.
sdk::Result<sdk::Json> newest_version(const BranchContent& content, std::string_view node);

/// The record of a stored version (`sdk::StoredRecord`); `internal` (`nodes.version_broken`) with
/// `place` in its detail where it cannot be read.
sdk::Result<sdk::Json> version_record(std::string_view stored, std::string place);

/// Gives a record as it is stored the id of the changeset that wrote it, of which it has the random
/// part only.
void complete_changeset(sdk::Json& record, Revision revision);

/// What a client changed from one version to the next, as a JSON Patch (RFC 6902); members of the
/// server are left out. `left` are the bytes that it may have, which it takes off
/// (`sdk::take_json_difference`).
sdk::Result<sdk::Json> difference(const sdk::Json& before, const sdk::Json& after,
                                  std::size_t& left);

/// The key of a record inside a branch, of a node's, and the id in such a key; empty for other
/// keys.
std::string record_key(char slot, std::string_view id);
std::string node_record_key(std::string_view id);
std::string node_of_record_key(std::string_view key);
/// Ids of what a branch shows in a slot, nodes with associations or deletions, in the order of
/// their keys: at most `most` of those after `last`.
sdk::Result<std::vector<std::string>> ids_after(const BranchContent& content, char slot,
                                                std::string_view last, std::size_t most);

}  // namespace stele::nodes
