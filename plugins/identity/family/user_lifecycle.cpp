#include "user_lifecycle.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>

#include "group_keeper.hpp"
#include "guard/known_addresses.hpp"
#include "platform_owners.hpp"
#include "rights/credential_rights.hpp"
#include "rights/principal_lookup.hpp"
#include "token/identity_credentials.hpp"
#include "token/row_access.hpp"
#include "token/session_epochs.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"
#include "token/spent_ids.hpp"

namespace stele::identity {

namespace {

sdk::Error forbidden(std::string_view what) {
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           std::string(what));
}

sdk::Error indispensable(std::string_view name) {
    return sdk::make_error(sdk::ErrorKind::conflict, "identity.principal_indispensable",
                           std::string(name) + " cannot be removed");
}

/// The identity of a user; nothing for a principal without one.
sdk::Result<std::optional<sdk::RecordKey>> identity_of(const sdk::Document& user,
                                                       sdk::Context& context,
                                                       std::uint64_t root_platform) {
    const std::string identity_id = sdk::text_member(user.fields, "identityId");
    if (identity_id.empty()) return std::optional<sdk::RecordKey>();
    auto key = find_identity(context, root_platform, sdk::text_member(user.fields, "directoryId"),
                             identity_id);
    if (!key) return key.error();
    return std::optional<sdk::RecordKey>(*std::move(key));
}

sdk::Result<void> link_identity(const sdk::Document& user, std::string_view password,
                                sdk::Context& context, std::uint64_t root_platform) {
    auto identity = identity_of(user, context, root_platform);
    if (!identity) {
        if (!is_missing(identity.error())) return identity.error();
        return sdk::make_error({{"identityId", "identity.unknown", identity.error().message}});
    }
    if (!password.empty()) {
        return sdk::make_error({{"password", "identity.password_elsewhere",
                                 "an identity that exists already has its own password"}});
    }
    auto may = sdk::holds(context, **identity, sdk::Permission::modify_credentials);
    if (!may) return may.error();
    if (*may) return require_person(context, **identity);
    auto is_own = is_person(context, **identity);
    if (!is_own) return is_own.error();
    if (*is_own) return {};
    return forbidden("MODIFY_CREDENTIALS on the identity is needed to give it to a user");
}

sdk::Result<void> join_groups(const sdk::Document& user, sdk::Context& context, sdk::Teams& teams) {
    const auto groups = user.secrets.find("groups");
    if (groups == user.secrets.end() || !groups->is_array()) return {};
    const sdk::Principal member = principal_of(user);
    for (const sdk::Json& form : *groups) {
        const std::string name = form.get<std::string>();
        auto group = find_principal_record(context, name, member.domain_id);
        if (!group && !is_missing(group.error())) return group.error();
        if (!group || principal_of(*group).kind != sdk::PrincipalKind::group) {
            return sdk::make_error(
                {{"groups", "identity.principal_group_unknown", "there is no group " + name}});
        }
        auto may = sdk::holds(context, group->key, sdk::Permission::update);
        if (!may) return may.error();
        if (!*may) return forbidden("UPDATE on group " + name + " is needed to join it");
        if (auto own = check_no_team(teams, context, group->key); !own) return own;
        if (auto covered = sdk::require_membership(context, group->key); !covered) return covered;
        auto added = context.authorities().add_member(group->key, member.key, member.kind);
        if (!added) return added;
    }
    return {};
}

/// Of a user who has no identity, and hence no password.
sdk::Result<void> require_own_credentials(sdk::Context& context, const sdk::RecordKey& user) {
    auto may = sdk::holds(context, user, sdk::Permission::modify_credentials);
    if (!may) return may.error();
    if (!*may) return forbidden("MODIFY_CREDENTIALS on the user is needed for this");
    return require_person_of(context, user);
}

/// Removes the link between a user and its identity, and the identity with its last user.
sdk::Result<void> leave_identity(const sdk::Document& user, const sdk::RecordKey& identity,
                                 sdk::Context& context) {
    const SessionKeys keys = SessionKeys::of(context);
    context.transaction().remove(keys.identity_user(identity, user.key));
    auto users = users_of_identity(context, identity);
    if (!users) return users.error();
    if (!users->empty()) return {};
    const std::string directory = sdk::text_member(user.fields, "directoryId");
    const std::string identity_id = sdk::text_member(user.fields, "identityId");
    auto here = context.transaction().get(
        keys.identity_place(context.platform().number, directory, identity_id));
    if (!here) return here.error();
    // An identity of another platform stays: it cannot be reached from here, and does no harm.
    if (*here != identity) return {};
    return context.documents().remove({kIdentityType, directory}, identity_id);
}

}  // namespace

sdk::Result<void> give_identity(sdk::Document& user, std::string_view password,
                                sdk::Context& context, std::uint64_t root_platform) {
    if (!sdk::text_member(user.fields, "identityId").empty()) {
        return link_identity(user, password, context, root_platform);
    }
    auto directory = context.documents().read({kDirectoryType, ""}, kPrimary);
    if (!directory) return directory.error();
    sdk::Json fields = {{"title", sdk::text_member(user.fields, "name")}};
    if (const std::string email = sdk::text_member(user.fields, "email"); !email.empty()) {
        fields["email"] = email;
    }
    // As the server: the password is the user's own, so the creator must not own the identity.
    auto identity =
        context.as_system().documents().create({kIdentityType, directory->id}, std::move(fields));
    if (!identity) return identity.error();
    user.fields["directoryId"] = directory->id;
    user.fields["identityId"] = identity->id;
    if (password.empty()) return {};
    return set_password(context, directory->id, identity->id, password);
}

namespace {

/// Not the guest, as which anybody may log in.
sdk::Result<void> let_manage_itself(const sdk::Document& user, sdk::Context& context) {
    auto guest = is_guest(context, principal_of(user));
    if (!guest) return guest.error();
    if (*guest) return {};
    return context.authorities().grant(user.key, user.key, "manager");
}

/// That users manage themselves does not let them leave: domains say who is in them.
sdk::Result<void> check_own_removal(const sdk::Document& principal, sdk::Context& context) {
    if (context.session().is_system || context.principal().key != principal.key) return {};
    auto domain = context.documents().read({kDomainType, ""}, principal_of(principal).domain_id);
    if (!domain) return domain.error();
    return sdk::require_inside(context, domain->key, {sdk::Permission::remove},
                               "identity.principal_own_removal",
                               "only who may delete everything in the domain removes itself");
}

}  // namespace

sdk::Result<void> settle_in(const sdk::Document& principal, sdk::Context& context,
                            std::uint64_t root_platform, sdk::Teams& teams) {
    if (principal_of(principal).kind == sdk::PrincipalKind::group) return {};
    auto identity = identity_of(principal, context, root_platform);
    if (!identity) return identity.error();
    if (*identity) {
        auto users = users_of_identity(context, **identity);
        if (!users) return users.error();
        // Whoever is the first user of an identity is the person; a later one was checked to be.
        if (users->size() == 1) {
            auto granted = context.authorities().grant(**identity, principal.key, "manager");
            if (!granted) return granted;
        }
    }
    if (auto managed = let_manage_itself(principal, context); !managed) return managed;
    return join_groups(principal, context, teams);
}

sdk::Result<void> copy_principal(const sdk::Document& principal, sdk::Context& context,
                                 std::uint64_t root_platform) {
    const SessionKeys keys = SessionKeys::of(context);
    auto known = read_row<PrincipalRow>(context.transaction(), keys.principal(principal.key));
    if (!known) return known.error();
    if (*known) {
        // A new identity may have the ids of the one that was found when the user was made.
        PrincipalRow row{principal_of(principal), (*known)->identity, (*known)->epoch};
        // What ends must not come back when the user is enabled again.
        if (!row.principal.enabled) ++row.epoch;
        context.transaction().put(keys.principal(principal.key), row.encode());
        return {};
    }
    auto identity = identity_of(principal, context, root_platform);
    if (!identity) return identity.error();
    const PrincipalRow row{principal_of(principal), identity->value_or(sdk::RecordKey())};
    context.transaction().put(keys.principal(principal.key), row.encode());
    if (*identity) {
        context.transaction().put(keys.identity_user(**identity, principal.key),
                                  context.platform().id);
    }
    return {};
}

sdk::Result<void> change_user_password(const sdk::Document& user, const NewPassword& password,
                                       const PasswordRules& rules, sdk::Context& context) {
    const std::string directory = sdk::text_member(user.fields, "directoryId");
    const std::string identity_id = sdk::text_member(user.fields, "identityId");
    auto identity = context.documents().read({kIdentityType, directory}, identity_id);
    if (!identity) {
        if (!is_missing(identity.error())) return identity.error();
        return sdk::make_error(sdk::ErrorKind::conflict, "identity.password_elsewhere",
                               "the password is kept on the platform where the identity lies");
    }
    if (auto may = require_password_rights(context, identity->key); !may) return may;
    auto proved = rules.check_present(context, *identity, password.present);
    if (!proved) return proved;
    if (auto fit = rules.check_new(password.text); !fit) return fit;
    return set_password(context, directory, identity_id, password.text);
}

sdk::Result<void> end_user_sessions(const sdk::Document& user, sdk::Context& context) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(user.key));
    if (!row) return row.error();
    const bool has_identity = *row && !(*row)->identity.empty();
    auto may = has_identity ? require_password_rights(context, (*row)->identity)
                            : require_own_credentials(context, user.key);
    if (!may) return may;
    return end_sessions(context, user.key);
}

sdk::Result<void> keep_last_owner(const sdk::Document& principal, sdk::Context& context) {
    return keep_an_owner(
        context, [&principal](const sdk::Principal& owner) { return owner.key == principal.key; },
        sdk::text_member(principal.fields, "name") + " is the only owner of the platform");
}

sdk::Result<void> remove_principal(const sdk::Document& principal, sdk::Context& context) {
    auto everyone = context.authorities().everyone();
    if (!everyone) return everyone.error();
    const std::string name = sdk::text_member(principal.fields, "name");
    if (*everyone == principal.key) return indispensable(name);
    auto guest = is_guest(context, principal_of(principal));
    if (!guest) return guest.error();
    if (*guest) return indispensable(name);
    if (auto kept = keep_last_owner(principal, context); !kept) return kept;
    if (auto may = check_own_removal(principal, context); !may) return may;
    if (auto freed = sdk::require_departure(context, principal.key); !freed) return freed;

    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(principal.key));
    if (!row) return row.error();
    if (*row && !(*row)->identity.empty()) {
        auto left = leave_identity(principal, (*row)->identity, context);
        if (!left) return left;
    }
    context.transaction().remove(keys.principal(principal.key));
    spend_id(context, principal_of(principal).domain_id, principal.id);
    forget_addresses(context, principal.key);
    return context.authorities().forget_principal(principal.key);
}

}  // namespace stele::identity
