#include <memory>
#include <vector>

#include <stele/sdk/plugin.hpp>

#include "plan.hpp"
#include "registrar_store.hpp"
#include "tenant.hpp"
#include "tenant_jobs.hpp"
#include "web_host.hpp"

namespace stele::data_stores {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto* platforms = registrar.find<sdk::Platforms>();
    auto* principals = registrar.find<sdk::PrincipalDirectory>();
    auto* jobs = registrar.find<sdk::Jobs>();
    if (!platforms || !principals || !jobs) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "tenant.services_missing",
                               "tenants need platforms, principals and jobs");
    }
    static std::vector<std::unique_ptr<TenantJobs>> kept;
    const TenantJobs& tenant_jobs =
        *kept.emplace_back(std::make_unique<TenantJobs>(*jobs, registrar));
    registrar.add(std::make_unique<RegistrarStore>());
    // Before the plans: they go first with their registrar, and a plan in use refuses to.
    registrar.add(std::make_unique<Tenant>(
        Tenant::Services{registrar, *platforms, *principals, tenant_jobs}));
    registrar.add(std::make_unique<Plan>());
    registrar.add(std::make_unique<WebHost>());
    registrar.add(std::make_unique<AutoClientMapping>());
    registrar.add(std::make_unique<TrustedDomainMapping>());
    registrar.on_install([&registrar](sdk::Context& context, const sdk::Json&) {
        return install_stores(registrar, context);
    });
    return {};
}

}  // namespace stele::data_stores

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "data_stores", .version = "0.2.0", .requirements = "identity"},
    &stele::data_stores::open);
