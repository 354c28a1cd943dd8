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

template <class Service>
static sdk::Result<Service*> require(sdk::Registrar& registrar, const char* code,
                                     const char* message) {
    if (auto* service = registrar.find<Service>()) return service;
    return sdk::make_error(sdk::ErrorKind::unavailable, code, message);
}

static sdk::Result<void> open(sdk::Registrar& registrar) {
    auto teams = require<sdk::Teams>(registrar, "identity.teams_missing", "nothing keeps teams");
    auto rows = require<sdk::RowQuery>(registrar, "identity.rows_missing", "nothing queries rows");
    auto platforms =
        require<sdk::Platforms>(registrar, "identity.platforms_missing", "nothing knows platforms");
    if (!teams) return teams.error();
    if (!rows) return rows.error();
    if (!platforms) return platforms.error();
    const auto passwords = open_password_rules(registrar);
    if (!passwords) return passwords.error();
    registrar.add(std::make_unique<Domain>());
    registrar.add(
        std::make_unique<PrincipalFamily>(registrar, **teams, **rows, **platforms, *passwords));
    registrar.add(std::make_unique<Directory>());
    registrar.add(std::make_unique<Connection>());
    registrar.add(std::make_unique<Person>(**platforms, **rows, *passwords));
    registrar.add(std::make_unique<ClientFamily>());
    registrar.add(std::make_unique<AuthenticationGrant>());
    registrar.on_install(&install);
    registrar.on_platform_removed(&forget_platform);
    return open_services(registrar, *passwords->guard);
}

}  // namespace stele::identity

extern "C" STELE_EXPORT const stele::sdk::PluginManifest stele_plugin =
    stele::sdk::plugin_manifest({.id = "identity", .version = "0.1.0"}, &stele::identity::open);
