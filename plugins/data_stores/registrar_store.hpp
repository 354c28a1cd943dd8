#pragma once

#include <stele/sdk/context.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>

namespace stele::data_stores {

inline constexpr char kRegistrarType[] = "registrar";
/// Member of what lies in a registrar.
inline constexpr char kRegistrarId[] = "registrarId";

/// A data store of tenants and plans (docs/specification/interface.md 3.2). It has no fields of its
/// own.
class RegistrarStore final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    /// The primary registrar cannot be removed.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
};

/// On the first platform: the registrar `default`, which `primary` leads to, with the plan
/// `unlimited` and the tenant that stands for the platform itself. On a tenant's: a web host.
sdk::Result<void> install_stores(sdk::Registrar& registrar, sdk::Context& context);

}  // namespace stele::data_stores
