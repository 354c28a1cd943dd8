#include "kernel/resource/operations/own_roles.hpp"

#include <stele/sdk/platform_owners.hpp>

#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Error above_own(std::string_view role_key, std::string_view where) {
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.role_above_own",
                           "the role " + std::string(role_key) +
                               " has permissions that the caller does not have " +
                               std::string(where));
}

}  // namespace

sdk::Result<void> require_own(const RoutedCall& call, std::string_view role_key) {
    const sdk::BuiltInRole* role = sdk::find_built_in_role(role_key);
    auto may = sdk::holds(call.context(), call.record_key(),
                          role ? role->permissions : sdk::PermissionSet::all());
    if (!may) return may.error();
    if (*may) return {};
    return above_own(role_key, "on the record");
}

sdk::Result<void> require_own(const RoutedCall& call, const std::vector<std::string>& role_keys) {
    for (const std::string& role_key : role_keys) {
        if (auto own = require_own(call, role_key); !own) return own;
    }
    return {};
}

sdk::Result<void> require_definition(const RoutedCall& call, std::string_view role_key,
                                     sdk::PermissionSet permissions) {
    sdk::Context& context = call.context();
    if (context.session().is_system) return {};
    auto covered = call.services()
                       .authorities.measure(context.transaction(), context.principal().key)
                       .covers_role(call.record_key(), role_key, permissions);
    if (!covered) return covered.error();
    if (*covered) return {};
    return above_own(role_key, "on the record and everything inside it");
}

sdk::Result<void> require_own_platform(const RoutedCall& call, const sdk::RecordKey& group) {
    auto has = sdk::has_rights_of(call.context(), group);
    if (!has) return has.error();
    if (*has) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.role_above_own",
                           "the team's group has permissions on the platform that the caller does "
                           "not have there");
}

sdk::Result<void> keep_an_owner(const RoutedCall& call, const sdk::RecordKey& principal,
                                const std::function<sdk::Result<void>()>& change) {
    sdk::PrincipalDirectory* principals = call.services().principals;
    // Who knows no principals keeps no owners.
    if (!principals) return change();
    auto is_kept = plugin::guarded<bool>("principal directory", "describe", [&] {
        return sdk::keeps_owner(call.context(), *principals, principal, change);
    });
    if (!is_kept) return is_kept.error();
    if (*is_kept) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "authority.last_owner",
                           "the platform's last owner who can log in cannot be revoked");
}

}  // namespace stele::kernel::resource
