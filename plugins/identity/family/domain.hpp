#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::identity {

/// A data store of users and groups. Everything but the protection of the primary one comes from
/// the descriptor.
class Domain final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
};

/// `conflict` when the record to be removed is the one that the alias `primary` of its collection
/// leads to.
sdk::Result<void> keep_primary(const sdk::Change& change, sdk::Context& context);

}  // namespace stele::identity
