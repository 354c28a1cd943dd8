#pragma once

#include <vector>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/tenants.hpp>

namespace stele::data_stores {

/// Tenants for those who measure them, and for those inside.
class TenantCatalogue final : public sdk::Tenants {
public:
    /// Both must outlive this object.
    TenantCatalogue(sdk::Platforms& platforms, sdk::Registrar& registrar)
        : platforms_(platforms), registrar_(registrar) {}

    sdk::Result<std::optional<sdk::MeteredTenant>> of_platform(
        sdk::Context& context, const sdk::PlatformScope& platform) override;
    sdk::Result<sdk::RecordKey> record_of(sdk::Context& context) override;
    void on_made(Made made) override { made_.push_back(std::move(made)); }
    void on_closed(Closed closed) override { closed_.push_back(std::move(closed)); }

    /// Says that a tenant is stored, in the transaction that makes it.
    sdk::Result<void> tell_made(sdk::Context& context, const sdk::Document& tenant,
                                const sdk::CollectionName& tenants) const;

    /// Says that a tenant's billing period ends. `conflict` (`data_stores.tenant_meters_missing`)
    /// when nobody keeps meters.
    sdk::Result<void> tell_closed(sdk::Context& context, const sdk::Document& tenant,
                                  const sdk::CollectionName& tenants) const;

private:
    sdk::Platforms& platforms_;
    sdk::Registrar& registrar_;
    std::vector<Made> made_;
    std::vector<Closed> closed_;
};

}  // namespace stele::data_stores
