#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>
#include <stele/sdk/services/platforms.hpp>
#include <stele/sdk/services/principal_directory.hpp>
#include <stele/sdk/services/row_query.hpp>

#include "registrar_store.hpp"

namespace stele::data_stores {

class TenantCatalogue;
class TenantJobs;

inline constexpr char kTenantType[] = "tenant";

/// A platform of somebody's own, with its own client, domain, users and objects
/// (docs/decisions/0022-a-tenant-is-a-platform.md). Making the record makes the platform, removing
/// it removes the platform.
class Tenant final : public sdk::Resource {
public:
    /// What a tenant is made with; must outlive it.
    struct Services {
        sdk::Registrar& registrar;
        sdk::Platforms& platforms;
        sdk::PrincipalDirectory& principals;
        sdk::RowQuery& rows;
        const TenantCatalogue& catalogue;
        const TenantJobs& jobs;
    };
    explicit Tenant(const Services& services) : services_(services) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;

    /// GET {C}/lookup?id= : the tenant that was made for a principal.
    sdk::Result<sdk::Reply> look_up(const sdk::Call& call);
    /// POST {C}/start : the same as a create, in a job.
    sdk::Result<sdk::Reply> start(const sdk::Call& call);
    /// GET {I}/defaultclient : the client with which programs log in to the tenant, its secret too.
    sdk::Result<sdk::Reply> read_default_client(const sdk::Call& call);
    /// GET {I}/objects?type= : what lies on the tenant's platform at its own level.
    sdk::Result<sdk::Reply> list_objects(const sdk::Call& call);
    /// GET {I}/autoclientmappings : those of all web hosts of the tenant.
    sdk::Result<sdk::Reply> list_mappings(const sdk::Call& call);
    /// POST {I}/closeout : ends the billing period.
    sdk::Result<sdk::Reply> close_out(const sdk::Call& call);
    /// GET {I}/meters, POST {I}/meters/query : those of the registrar that are the tenant's.
    sdk::Result<sdk::Reply> list_meters(const sdk::Call& call);
    /// GET {I}/meters/current/{meterType} : the one of this month.
    sdk::Result<sdk::Reply> read_current_meter(const sdk::Call& call);

private:
    sdk::Result<void> prepare_create(sdk::Change& change, sdk::Context& context);
    sdk::Result<void> prepare_update(sdk::Change& change, sdk::Context& context);
    sdk::Result<void> prepare_remove(const sdk::Change& change, sdk::Context& context);
    sdk::Result<void> open_or_close(const sdk::Json& fields, sdk::Context& context);
    sdk::Result<void> run_on_platform(const sdk::Call& call,
                                      const std::function<sdk::Result<void>(sdk::Context&)>& work);

    Services services_;
};

}  // namespace stele::data_stores
