#include "credential_rights.hpp"

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/key_tuple.hpp>

#include "token/identity_credentials.hpp"
#include "token/row_access.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"
#include "token/token_authenticator.hpp"

namespace stele::identity {

namespace {

/// Empty for those who have none.
sdk::Result<sdk::RecordKey> identity_key_of(sdk::Context& context, const sdk::RecordKey& user) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(user));
    if (!row) return row.error();
    return *row ? (*row)->identity : sdk::RecordKey();
}

/// Record keys begin with the number of their platform.
bool lies_elsewhere(sdk::Context& context, const sdk::RecordKey& identity) {
    return sdk::KeyReader(identity).integer() != context.platform().number;
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

sdk::Result<bool> acts_in_person(sdk::Context& context) {
    if (!context.principal().actors.empty()) return false;
    const std::string digest = TokenReference::of(context.session()).digest;
    if (digest.empty()) return true;
    auto row = read_row<AccessRow>(context.transaction(), SessionKeys::of(context).access(digest));
    if (!row) return row.error();
    // A token that ended meanwhile says nothing about the person.
    return *row && (*row)->basis.actors.empty();
}

sdk::Result<bool> is_person(sdk::Context& context, const sdk::RecordKey& identity) {
    auto own = is_own_identity(context, identity);
    if (!own || !*own) return own;
    return acts_in_person(context);
}

namespace {

/// What opens a person outlives the session, and whoever acts through it.
sdk::Result<void> require_in_person(sdk::Context& context) {
    auto is_itself = acts_in_person(context);
    if (!is_itself) return is_itself.error();
    if (*is_itself) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.principal_above_own",
        "somebody else acts through this session, who does this in the own name");
}

/// Of whoever covers all users of the identity; also through somebody else's session.
sdk::Result<void> require_cover(sdk::Context& context, const sdk::RecordKey& identity) {
    auto is_own = is_person(context, identity);
    if (!is_own) return is_own.error();
    if (*is_own) return {};
    // Owners of this platform own nothing of the one that the person comes from.
    if (lies_elsewhere(context, identity)) {
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.principal_above_own",
                               "the person's identity lies on another platform, so that the person "
                               "alone may do this here");
    }
    auto users = users_of_identity(context, identity);
    if (!users) return users.error();
    for (const IdentityUser& user : *users) {
        if (auto covered = require_user(context, user); !covered) return covered;
    }
    return {};
}

}  // namespace

sdk::Result<void> require_person(sdk::Context& context, const sdk::RecordKey& identity) {
    if (context.session().is_system) return {};
    if (auto itself = require_in_person(context); !itself) return itself;
    return require_cover(context, identity);
}

sdk::Result<void> require_cover_of(sdk::Context& context, const sdk::RecordKey& user) {
    if (context.session().is_system) return {};
    auto identity = identity_key_of(context, user);
    if (!identity) return identity.error();
    if (identity->empty()) return sdk::require_rights_of(context, user);
    return require_cover(context, *identity);
}

sdk::Result<void> require_person_of(sdk::Context& context, const sdk::RecordKey& user) {
    if (context.session().is_system) return {};
    if (auto itself = require_in_person(context); !itself) return itself;
    return require_cover_of(context, user);
}

sdk::Result<void> require_password_rights(sdk::Context& context, const sdk::RecordKey& identity) {
    auto may = sdk::holds(context, identity, sdk::Permission::modify_credentials);
    if (!may) return may.error();
    if (*may) return require_person(context, identity);
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "MODIFY_CREDENTIALS on the identity is needed to change the password");
}

}  // namespace stele::identity
