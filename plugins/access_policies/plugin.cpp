#include <memory>
#include <tuple>

#include <stele/sdk/plugin.hpp>
#include <stele/sdk/services/policy_source.hpp>
#include <stele/sdk/services/principal_directory.hpp>

#include "access_policy.hpp"
#include "policy_evaluator.hpp"
#include "system_assignments.hpp"

namespace {

using namespace stele;

sdk::Result<void> open(sdk::Registrar& registrar) {
    auto& evaluator = registrar.own(std::make_unique<access_policies::PolicyEvaluator>());
    registrar.publish<sdk::PolicySource>(evaluator);
    registrar.publish<sdk::SystemPolicies>(
        registrar.own(std::make_unique<access_policies::SystemAssignments>()));
    auto services = registrar.require<sdk::PrincipalDirectory>();
    if (!services) return services.error();
    registrar.add(std::make_unique<access_policies::AccessPolicy>(
        evaluator, std::get<sdk::PrincipalDirectory&>(*services)));
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const sdk::PluginManifest stele_plugin = sdk::plugin_manifest(
    {.id = "access_policies", .version = "1.0.0", .status = "stable", .requirements = "identity"},
    &open);
