#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "content/graph.hpp"
#include "content/services.hpp"
#include "versions/layered_cursor.hpp"

namespace stele::nodes {

/// A branch at its tip outside of any operation: for rights, and for whoever follows changes. The
/// reader outlives it.
class StoredContent {
public:
    static sdk::Result<StoredContent> of(const Services& services, const sdk::Reader& store,
                                         const sdk::RecordKey& branch);

    Graph graph() const { return Graph(*view_); }
    /// Whether the principal made the node.
    sdk::Result<bool> is_creator(std::string_view node, const sdk::RecordKey& principal) const;

private:
    StoredContent(const sdk::Reader& store, VersionSpace space, View view)
        : space_(std::make_unique<VersionSpace>(std::move(space))),
          view_(std::make_unique<ViewReader>(store, *space_, std::move(view))) {}

    std::unique_ptr<VersionSpace> space_;
    std::unique_ptr<ViewReader> view_;
};

}  // namespace stele::nodes
