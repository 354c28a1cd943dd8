#include <stele/sdk/plugin.hpp>

#include "family/authentication_grant.hpp"
#include "family/client.hpp"
#include "family/directory.hpp"
#include "family/domain.hpp"
#include "family/person.hpp"
#include "family/principal.hpp"
#include "family/removed_platform.hpp"
#include "family/seed.hpp"
#include "install.hpp"
#include "services.hpp"

namespace stele::identity {

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto services = registrar.require<sdk::Teams, sdk::RowQuery, sdk::Platforms>();
    if (!services) return services.error();
    auto& [teams, rows, platforms] = *services;
    const PasswordRules passwords = open_password_rules(registrar);
    registrar.add(std::make_unique<Domain>());
    registrar.add(std::make_unique<PrincipalFamily>(registrar, teams, rows, platforms, passwords));
    registrar.add(std::make_unique<Directory>());
    registrar.add(std::make_unique<Connection>());
    registrar.add(std::make_unique<Person>(platforms, rows, passwords));
    registrar.add(std::make_unique<ClientFamily>(registrar));
    registrar.add(std::make_unique<AuthenticationGrant>());
    take_seed(registrar);
    registrar.on_install(&install);
    registrar.on_platform_removed(&forget_platform);
    open_services(registrar, *passwords.guard);
    return {};
}

}  // namespace stele::identity

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "identity", .version = "0.1.0"}, &stele::identity::open);
