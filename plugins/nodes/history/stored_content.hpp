#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "branch/graph.hpp"
#include "branch/services.hpp"
#include "version/layered_cursor.hpp"

namespace stele::nodes {

/// A branch at its tip outside of any operation: for rights, and for whoever follows changes. The
/// reader outlives it.
class StoredContent {
public:
    static sdk::Result<StoredContent> of(const Services& services, const sdk::Reader& store,
                                         const sdk::RecordKey& branch);

    /// The same as it was before a node went that has a deletion there; as it is where there is no
    /// such deletion, or its changeset is being written.
    static sdk::Result<StoredContent> before_deletion(const Services& services,
                                                      const sdk::Reader& store,
                                                      const sdk::RecordKey& branch,
                                                      std::string_view node);

    Graph graph() const { return Graph(*view_); }
    /// Whether the principal made the node.
    sdk::Result<bool> is_creator(std::string_view node, const sdk::RecordKey& principal) const;
    /// What a node says; nothing when there is none.
    sdk::Result<std::optional<sdk::Json>> node(std::string_view id) const;
    /// Every way from the root down to a node by names (`/a/b`), whoever may see it; none outside
    /// of the root's tree. `conflict` (`nodes.paths_too_many`) beyond `kMaxPaths`.
    sdk::Result<std::vector<std::string>> paths_of(std::string_view node) const;
    static constexpr std::size_t kMaxPaths = 1000;

private:
    StoredContent(const sdk::Reader& store, VersionSpace space, View view)
        : space_(std::make_unique<VersionSpace>(std::move(space))),
          view_(std::make_unique<ViewReader>(store, *space_, std::move(view))) {}

    std::unique_ptr<VersionSpace> space_;
    std::unique_ptr<ViewReader> view_;
};

}  // namespace stele::nodes
