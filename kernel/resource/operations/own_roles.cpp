#include "kernel/resource/operations/own_roles.hpp"

#include <algorithm>

#include "kernel/resource/operations/principal_forms.hpp"

namespace stele::kernel::resource {

namespace {

/// Whether anybody acts for the principal: it is a user, or a group that contains one.
sdk::Result<bool> has_user(const RoutedCall& call, const sdk::RecordKey& principal) {
    sdk::Authorities& authorities = call.context().authorities();
    auto everyone = authorities.everyone();
    if (!everyone) return everyone.error();
    if (*everyone == principal) return true;
    auto described = describe_principal(call, principal);
    if (!described && sdk::is_missing(described.error())) return false;
    if (!described) return described.error();
    if (described->kind == sdk::PrincipalKind::user) return true;
    auto users = authorities.members(principal, sdk::MemberKind::user, true);
    if (!users) return users.error();
    return !users->empty();
}

}  // namespace

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

sdk::Result<void> require_an_owner(const RoutedCall& call) {
    if (call.record_key() != call.context().platform().root) return {};
    auto acl = call.context().authorities().acl(call.record_key());
    if (!acl) return acl.error();
    for (const sdk::AclEntry& entry : *acl) {
        if (std::find(entry.roles.begin(), entry.roles.end(), "owner") == entry.roles.end()) {
            continue;
        }
        auto acting = has_user(call, entry.principal);
        if (!acting) return acting.error();
        if (*acting) return {};
    }
    return sdk::make_error(sdk::ErrorKind::conflict, "authority.last_owner",
                           "the platform's last owner cannot be revoked");
}

}  // namespace stele::kernel::resource
