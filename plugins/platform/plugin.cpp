#include <stele/sdk/plugin.hpp>

#include <memory>
#include <vector>

#include "application.hpp"
#include "endpoints.hpp"
#include "reference_operations.hpp"

namespace stele::platform {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto* principals = registrar.find<sdk::PrincipalDirectory>();
    if (!principals) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "platform.principals_missing",
                               "no enabled plugin knows principals");
    }
    // Lives until the process ends, as the registrar wants it.
    static std::vector<std::unique_ptr<ReferenceOperations>> kept;
    kept.push_back(std::make_unique<ReferenceOperations>(*principals));
    registrar.add(std::make_unique<Application>());
    add_endpoints(registrar, *kept.back());
    return {};
}

}  // namespace stele::platform

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin = stele::sdk::plugin_manifest(
    {.id = "platform", .version = "0.1.0", .requirements = "identity"}, &stele::platform::open);
