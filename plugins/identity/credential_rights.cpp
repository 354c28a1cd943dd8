#include "credential_rights.hpp"

#include <stele/sdk/gifts.hpp>

#include "identity_credentials.hpp"
#include "row_access.hpp"
#include "session_keys.hpp"
#include "session_rows.hpp"

namespace stele::identity {

namespace {

/// Empty for those who have none.
sdk::Result<sdk::RecordKey> identity_key_of(sdk::Context& context, const sdk::RecordKey& user) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(user));
    if (!row) return row.error();
    return *row ? (*row)->identity : sdk::RecordKey();
}

sdk::Result<void> require_user(sdk::Context& context, const IdentityUser& user) {
    if (user.platform_id == context.platform().id)
        return sdk::require_rights_of(context, user.principal);
    return sdk::require_inside(context, context.platform().root, sdk::PermissionSet::all(),
                               "authority.principal_above_own",
                               "the person has users on other platforms, so that an owner of this "
                               "one is needed");
}

}  // namespace

sdk::Result<bool> is_own_identity(sdk::Context& context, const sdk::RecordKey& identity) {
    auto own = identity_key_of(context, context.principal().key);
    if (!own) return own.error();
    return !own->empty() && *own == identity;
}

sdk::Result<void> require_person(sdk::Context& context, const sdk::RecordKey& identity) {
    if (context.session().is_system) return {};
    auto is_own = is_own_identity(context, identity);
    if (!is_own) return is_own.error();
    if (*is_own) return {};
    auto users = users_of_identity(context, identity);
    if (!users) return users.error();
    for (const IdentityUser& user : *users) {
        if (auto covered = require_user(context, user); !covered) return covered;
    }
    return {};
}

sdk::Result<void> require_person_of(sdk::Context& context, const sdk::RecordKey& user) {
    if (context.session().is_system || context.principal().key == user) return {};
    auto identity = identity_key_of(context, user);
    if (!identity) return identity.error();
    if (identity->empty()) return sdk::require_rights_of(context, user);
    return require_person(context, *identity);
}

sdk::Result<void> require_password_rights(sdk::Context& context, const sdk::RecordKey& identity) {
    auto may = sdk::holds(context, identity, sdk::Permission::modify_credentials);
    if (!may) return may.error();
    if (*may) return require_person(context, identity);
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "MODIFY_CREDENTIALS on the identity is needed to change the password");
}

}  // namespace stele::identity
