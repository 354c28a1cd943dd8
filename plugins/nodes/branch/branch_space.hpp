#pragma once

#include <utility>

#include "branch/branch_store.hpp"
#include "version/collection_reader.hpp"

namespace stele::nodes {

/// The space that the records of a branch lie in, of which the kernel reads them.
class BranchSpace final : public CollectionReader {
public:
    BranchSpace(const sdk::Reader& store, VersionSpace space, View view,
                sdk::SpaceCollection collection, char slot, const BranchPlace& place)
        : CollectionReader(store, std::move(space), std::move(view), std::move(collection), slot),
          place_(place) {}

    const BranchPlace& place() const { return place_; }

private:
    const BranchPlace place_;
};

}  // namespace stele::nodes
