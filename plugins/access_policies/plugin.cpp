#include <memory>

#include <stele/sdk/plugin.hpp>
#include <stele/sdk/services/policy_source.hpp>
#include <stele/sdk/services/principal_directory.hpp>

#include "access_policy.hpp"
#include "policy_evaluator.hpp"
#include "system_assignments.hpp"

namespace {

using namespace stele;

sdk::Result<void> open(sdk::Registrar& registrar) {
    // Lives as long as the process: published services are never taken back.
    static access_policies::PolicyEvaluator evaluator;
    static access_policies::SystemAssignments system;
    registrar.publish<sdk::PolicySource>(evaluator);
    registrar.publish<sdk::SystemPolicies>(system);
    auto* principals = registrar.find<sdk::PrincipalDirectory>();
    if (!principals) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "access_policies.principals_missing",
                               "no enabled plugin knows principals");
    }
    registrar.add(std::make_unique<access_policies::AccessPolicy>(evaluator, *principals));
    return {};
}

}  // namespace

extern "C" STELE_EXPORT const sdk::PluginManifest stele_plugin = sdk::plugin_manifest(
    {.id = "access_policies", .version = "1.0.0", .status = "stable", .requirements = "identity"},
    &open);
