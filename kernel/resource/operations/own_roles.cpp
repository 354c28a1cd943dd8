#include "kernel/resource/operations/own_roles.hpp"

#include <stele/sdk/platform_owners.hpp>

#include "kernel/plugin/plugin_host.hpp"

namespace stele::kernel::resource {

sdk::Result<void> require_own(const RoutedCall& call, std::string_view role_key) {
    const sdk::BuiltInRole* role = sdk::find_built_in_role(role_key);
    return require_own(call, role_key, role ? role->permissions : sdk::PermissionSet::all());
}

sdk::Result<void> require_own(const RoutedCall& call, const std::vector<std::string>& role_keys) {
    for (const std::string& role_key : role_keys) {
        if (auto own = require_own(call, role_key); !own) return own;
    }
    return {};
}

sdk::Result<void> require_own(const RoutedCall& call, std::string_view role_key,
                              sdk::PermissionSet permissions) {
    auto may = sdk::holds(call.context(), call.record_key(), permissions);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.role_above_own",
                           "the role " + std::string(role_key) +
                               " has permissions that the caller does not have on the record");
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
    sdk::PrincipalDirectory* principals = call.rooms().principals;
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
