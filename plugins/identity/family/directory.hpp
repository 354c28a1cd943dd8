#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::identity {

/// A data store of identities.
class Directory final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
};

/// How a directory reaches the accounts that another service keeps for its identities
/// (docs/specification/platform.md 7.3).
class Connection final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
};

}  // namespace stele::identity
