#include <memory>

#include <stele/sdk/plugin.hpp>

#include "deployed_application.hpp"
#include "plan.hpp"
#include "registrar_store.hpp"
#include "tenant.hpp"
#include "tenant_catalogue.hpp"
#include "tenant_jobs.hpp"
#include "web_host.hpp"

namespace stele::data_stores {

namespace {

/// What the families share.
struct Work {
    Work(sdk::Platforms& platforms, sdk::Jobs& running, sdk::Registrar& registrar)
        : catalogue(platforms, registrar), jobs(running, registrar) {}

    TenantCatalogue catalogue;
    TenantJobs jobs;
};

}  // namespace

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto services =
        registrar.require<sdk::Platforms, sdk::PrincipalDirectory, sdk::Jobs, sdk::RowQuery>();
    if (!services) return services.error();
    auto& [platforms, principals, jobs, rows] = *services;
    Work& work = registrar.own(std::make_unique<Work>(platforms, jobs, registrar));
    registrar.publish<sdk::Tenants>(work.catalogue);
    registrar.add(std::make_unique<RegistrarStore>());
    // Before the plans: they go first with their registrar, and a plan in use refuses to.
    registrar.add(std::make_unique<Tenant>(
        Tenant::Services{registrar, platforms, principals, rows, work.catalogue, work.jobs}));
    registrar.add(std::make_unique<Plan>());
    registrar.add(std::make_unique<WebHost>());
    registrar.add(std::make_unique<AutoClientMapping>());
    registrar.add(std::make_unique<TrustedDomainMapping>());
    registrar.add(std::make_unique<DeployedApplication>());
    registrar.on_install([&registrar](sdk::Context& context, const sdk::Json&) {
        return install_stores(registrar, context);
    });
    return {};
}

}  // namespace stele::data_stores

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "data_stores", .version = "0.2.0", .requirements = "identity"},
    &stele::data_stores::open);
