#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>

#include "version/layered_cursor.hpp"
#include "version/version_space.hpp"

namespace stele::nodes {

/// The nearest line that two views of a repository come from, with the last of its revisions that
/// both show; a tip when both are at that line's tip.
Link common_ancestor(const View& one, const View& other);

/// What a branch has done to a node since the ancestor.
enum class NodeOperation : std::uint8_t { none, create, update, remove };
/// As clients see it: `none`, `create`, `update`, `delete`.
std::string_view operation_name(NodeOperation operation);

struct NodeDifference {
    NodeOperation on_source = NodeOperation::none;
    NodeOperation on_target = NodeOperation::none;
    /// Both have changed it, and not to the same.
    bool is_conflict = false;
};

/// A node's record where it is shown, nothing where it is not.
struct NodeStates {
    std::optional<sdk::Json> ancestor;
    std::optional<sdk::Json> source;
    std::optional<sdk::Json> target;
};
/// Records that differ only in the order of members, or in what the server itself sets but the
/// attachments, are the same.
NodeDifference compare(const NodeStates& states);

/// How far a difference is looked for.
struct DifferenceBounds {
    std::size_t nodes = 0;
    /// Records that changesets wrote, each time counted.
    std::size_t writes = 0;
};

/// What two branches of a repository have done since their common ancestor. Reads what was written
/// since, and nothing of the rest. The store outlives it. One thread at a time.
class Difference {
public:
    Difference(const sdk::Reader& store, VersionSpace space, View source, View target);
    Difference(const Difference&) = delete;
    Difference& operator=(const Difference&) = delete;

    const Link& ancestor() const { return ancestor_; }

    struct Written {
        /// Keys of nodes' records, each once: those that the source wrote, the last one first, then
        /// what only the target wrote.
        std::vector<std::string> keys;
        /// The name of the bound that was reached; empty when these are all.
        std::string_view truncated_by = {};
    };
    sdk::Result<Written> written(const DifferenceBounds& bounds) const;

    /// Nothing of the node where neither side has changed which version of it shows. `internal`
    /// (`nodes.version_broken`) when a record cannot be read.
    sdk::Result<std::optional<NodeStates>> states(std::string_view key) const;

private:
    struct Walk;

    sdk::Result<void> walk(const View& view, Walk& walk) const;

    const sdk::Reader& store_;
    const VersionSpace space_;
    const Link ancestor_;
    const ViewReader at_ancestor_;
    const ViewReader at_source_;
    const ViewReader at_target_;
};

}  // namespace stele::nodes
