#include <stele/sdk/plugin.hpp>

#include "authentication_grant.hpp"
#include "client.hpp"
#include "directory.hpp"
#include "domain.hpp"
#include "install.hpp"
#include "person.hpp"
#include "principal.hpp"
#include "removed_platform.hpp"
#include "services.hpp"

namespace stele::identity {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto* teams = registrar.find<sdk::Teams>();
    if (!teams) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "identity.teams_missing",
                               "nothing keeps teams");
    }
    registrar.add(std::make_unique<Domain>());
    registrar.add(std::make_unique<PrincipalFamily>(registrar, *teams));
    registrar.add(std::make_unique<Directory>());
    registrar.add(std::make_unique<Connection>());
    auto* platforms = registrar.find<sdk::Platforms>();
    if (!platforms) {
        return sdk::make_error(sdk::ErrorKind::unavailable, "identity.platforms_missing",
                               "nothing knows platforms");
    }
    registrar.add(std::make_unique<Person>(*platforms));
    registrar.add(std::make_unique<ClientFamily>());
    registrar.add(std::make_unique<AuthenticationGrant>());
    registrar.on_install(&install);
    registrar.on_platform_removed(&forget_platform);
    return open_services(registrar);
}

}  // namespace stele::identity

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "identity", .version = "0.1.0"}, &stele::identity::open);
