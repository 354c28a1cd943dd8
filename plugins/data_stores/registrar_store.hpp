#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/resource.hpp>

namespace stele::data_stores {

/// A data store of tenants and plans (interface.md, Data store fields). It has no fields of its
/// own.
class RegistrarStore final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    /// The primary registrar cannot be removed.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
};

/// Makes the registrar `default`, which `primary` leads to, where there is none.
sdk::Result<void> install_registrar(sdk::Context& context, const sdk::Json& seed);

}  // namespace stele::data_stores
