#include "invited_user.hpp"

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "rights/credential_rights.hpp"
#include "rights/principal_lookup.hpp"
#include "token/identity_credentials.hpp"
#include "token/row_access.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

using Found = std::optional<sdk::Document>;

constexpr char kTenantType[] = "tenant";
/// What the new user takes over.
constexpr const char* kCopiedMembers[] = {"name",        "title",       "email",
                                          "firstName",   "lastName",    "jobTitle",
                                          "companyName", "directoryId", "identityId"};

sdk::Error unfit(std::string_view form) {
    return sdk::make_error(
        {{"id", "identity.principal_invitation_unfit",
          std::string(form) + " must be an enabled user with an identity, other than a guest"}});
}

/// A look-up's result, nothing in place of `not_found`.
sdk::Result<Found> if_any(sdk::Result<sdk::Document> document) {
    if (document) return Found(*std::move(document));
    if (is_missing(document.error())) return Found();
    return document.error();
}

/// The identity of a principal; empty for groups and for whoever has none.
sdk::Result<sdk::RecordKey> identity_behind(sdk::Context& context,
                                            const sdk::RecordKey& principal) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(principal));
    if (!row) return row.error();
    return *row ? (*row)->identity : sdk::RecordKey();
}

sdk::Result<Found> find_here(sdk::Context& context, std::string_view form) {
    return sdk::if_readable(context, find_principal_record(context, form));
}

/// The user of the first platform for whom a tenant's platform was made.
sdk::Result<Found> owner_of_tenant(sdk::Context& first, const sdk::Json& platform) {
    const std::string tenant_id = sdk::text_member(platform, "ownerTenantId");
    if (tenant_id.empty()) return Found();
    auto tenant = if_any(first.documents().read(
        {kTenantType, sdk::text_member(platform, "ownerRegistrarId")}, tenant_id));
    if (!tenant || !*tenant) return tenant;
    const sdk::Json& fields = (*tenant)->fields;
    return if_any(find_principal_record(first, sdk::text_member(fields, "domainId") + "/" +
                                                   sdk::text_member(fields, "principalId")));
}

/// On the first platform, with the eyes of the tenant's owner. Others learn nothing there, users
/// whom the owner has invited and who share nothing with it but the platform among them.
sdk::Result<Found> find_as_owner(sdk::Context& first, const sdk::Json& platform,
                                 const sdk::RecordKey& person, std::string_view form) {
    auto owner = owner_of_tenant(first, platform);
    if (!owner || !*owner) return owner;
    auto behind = identity_behind(first, (*owner)->key);
    if (!behind) return behind.error();
    if (*behind != person || !principal_of(**owner).enabled) return Found();
    auto record = if_any(find_principal_record(first, form));
    if (!record || !*record) return record;
    auto rights = first.authorities().permissions((*owner)->key, (*record)->key);
    if (!rights) return rights.error();
    return rights->has(sdk::Permission::read) ? *std::move(record) : Found();
}

sdk::Result<Found> find_elsewhere(sdk::Registrar& registrar, sdk::Platforms& platforms,
                                  sdk::Context& context, std::string_view form) {
    const sdk::PlatformScope first = registrar.root_platform();
    if (context.platform().number == first.number) return Found();
    // Whoever invites may have made a user of the owner's identity and act as it.
    auto owns = sdk::holds(context, context.platform().root, sdk::PermissionSet::all());
    if (!owns) return owns.error();
    if (!*owns) return Found();
    auto is_itself = acts_in_person(context);
    if (!is_itself) return is_itself.error();
    if (!*is_itself) return Found();
    auto person = identity_behind(context, context.principal().key);
    if (!person) return person.error();
    if (person->empty()) return Found();
    auto platform = context.documents().read(context.platform().root);
    if (!platform) return platform.error();
    sdk::Result<Found> found = Found();
    auto done = platforms.run_on(context, first, [&](sdk::Context& there) -> sdk::Result<void> {
        found = find_as_owner(there, platform->fields, *person, form);
        return found ? sdk::Result<void>() : found.error();
    });
    if (!done) return done.error();
    return found;
}

/// The user of the collection that is the person already.
sdk::Result<Found> user_of_person(sdk::Context& context, const sdk::CollectionName& principals,
                                  const sdk::RecordKey& person) {
    auto users = users_of_identity(context, person);
    if (!users) return users.error();
    for (const IdentityUser& user : *users) {
        if (user.platform_id != context.platform().id) continue;
        auto record = if_any(context.documents().read(user.principal));
        if (!record) return record;
        if (*record && sdk::text_member((*record)->fields, "domainId") == principals.container) {
            return record;
        }
    }
    return Found();
}

}  // namespace

sdk::Result<InvitedUser> find_invited(sdk::Registrar& registrar, sdk::Platforms& platforms,
                                      sdk::Context& context, std::string_view form) {
    auto record = find_here(context, form);
    if (record && !*record) record = find_elsewhere(registrar, platforms, context, form);
    if (!record) return record.error();
    if (!*record) return unknown_principal(form);
    auto person = identity_behind(context, (*record)->key);
    if (!person) return person.error();
    const sdk::Principal user = principal_of(**record);
    const bool is_fit = user.kind == sdk::PrincipalKind::user && user.enabled &&
                        user.name != kGuest && !person->empty();
    if (!is_fit) return unfit(form);
    return InvitedUser{**std::move(record), *std::move(person)};
}

sdk::Result<sdk::Document> settle_invited(sdk::Registrar& registrar, sdk::Context& context,
                                          const sdk::CollectionName& principals,
                                          const InvitedUser& invited) {
    auto known = user_of_person(context, principals, invited.identity);
    if (!known) return known.error();
    if (*known) return **std::move(known);
    sdk::Json fields = {{"type", "USER"}};
    for (const char* member : kCopiedMembers) {
        std::string value = sdk::text_member(invited.record.fields, member);
        if (!value.empty()) fields[member] = std::move(value);
    }
    // Here another identity may have the same ids.
    auto named = find_identity(context, registrar.root_platform().number,
                               sdk::text_member(fields, "directoryId"),
                               sdk::text_member(fields, "identityId"));
    if (!named && !is_missing(named.error())) return named.error();
    if (!named || *named != invited.identity) return unfit(principal_of(invited.record).name);
    // As the server: an invitation gives the identity away no further than its person can use it,
    // so that it needs no right on it.
    auto user = context.as_system().documents().create(principals, std::move(fields));
    if (!user) return user;
    auto owned = context.authorities().grant(user->key, context.principal().key, "owner");
    if (!owned) return owned.error();
    return note_inviter(context, principals, *user);
}

sdk::Result<sdk::Document> note_inviter(sdk::Context& context,
                                        const sdk::CollectionName& principals,
                                        const sdk::Document& user) {
    const sdk::Principal& inviter = context.principal();
    return context.documents().patch(principals, user.id,
                                     {{"inviterId", inviter.id},
                                      {"inviterDomainId", inviter.domain_id},
                                      {"inviterName", inviter.name}});
}

}  // namespace stele::identity
