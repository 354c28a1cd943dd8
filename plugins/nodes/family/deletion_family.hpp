#pragma once

#include "family/node_family.hpp"

namespace stele::nodes {

/// What was removed from a branch and can come back (docs/specification/nodes.md 20): the last
/// record of each node, under its id. Made by removals only.
class DeletionFamily final : public SpacedFamily {
public:
    explicit DeletionFamily(Services& services) : SpacedFamily(services, kDeletionSlot) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> complete_system(const sdk::Change& change, sdk::Context& context,
                                      sdk::Json& system) override;
    /// Deleted associations are found by those only who ask for them.
    sdk::Result<void> complete_query(const sdk::Call& call, sdk::Json& query) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;
    /// Those that the node had when it went.
    sdk::Result<std::vector<std::string>> paths_of(const sdk::Reader& store,
                                                   const sdk::SpaceCollection& collection,
                                                   const sdk::RecordKey& record) override;
};

}  // namespace stele::nodes
