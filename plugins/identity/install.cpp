#include "install.hpp"

#include <algorithm>
#include <optional>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/platform_owners.hpp>

#include "family/authentication_grant.hpp"
#include "family/client.hpp"
#include "rights/principal_lookup.hpp"
#include "token/identity_credentials.hpp"

namespace stele::identity {

namespace {

constexpr char kDefault[] = "default";

/// The member of the seed, or an empty object.
sdk::Json section(const sdk::Json& seed, const char* name) {
    const auto member = seed.is_object() ? seed.find(name) : seed.end();
    return member != seed.end() && member->is_object() ? *member : sdk::Json::object();
}

/// The record of the id, made of the fields when there is none.
sdk::Result<sdk::Document> ensure(sdk::Context& context, const sdk::CollectionName& collection,
                                  std::string_view id, sdk::Json fields) {
    auto existing = context.documents().read(collection, id);
    if (existing || !is_missing(existing.error())) return existing;
    return context.documents().create(collection, std::move(fields));
}

sdk::Result<void> install_stores(sdk::Context& context) {
    for (const char* type : {kDirectoryType, kDomainType}) {
        const sdk::CollectionName collection{type, ""};
        auto store = ensure(context, collection, kDefault,
                            {{"_doc", kDefault}, {"title", std::string("Primary ") + type}});
        if (!store) return store.error();
        auto named = context.documents().set_alias(collection, kPrimary, store->id);
        if (!named) return named;
    }
    return {};
}

sdk::Result<sdk::Document> install_everyone(sdk::Context& context) {
    auto everyone = ensure(context, {kPrincipalType, kDefault}, "everyone",
                           {{"name", "everyone"}, {"type", "GROUP"}, {"title", "Everyone"}});
    if (!everyone) return everyone;
    sdk::Authorities& authorities = context.authorities();
    auto known = authorities.everyone();
    if (!known) return known.error();
    if (*known == everyone->key) return everyone;
    auto domain = context.documents().read({kDomainType, ""}, kDefault);
    if (!domain) return domain.error();
    if (auto set = authorities.set_everyone(everyone->key); !set) return set.error();
    // Given once: an operator may take it away again.
    const std::pair<sdk::RecordKey, const char*> grants[] = {
        {context.platform().root, "connector"},
        {domain->key, "consumer"},
        {everyone->key, "consumer"},
    };
    for (const auto& [record, role] : grants) {
        auto granted = authorities.grant(record, everyone->key, role);
        if (!granted) return granted.error();
    }
    return everyone;
}

/// Makes a user of the primary domain whose password may be as short as the seed wants it.
sdk::Result<sdk::Document> create_user(sdk::Context& context, sdk::Json fields,
                                       const std::string& password) {
    auto user = context.documents().create({kPrincipalType, kDefault}, std::move(fields));
    if (!user) return user;
    auto set = set_password(context, sdk::text_member(user->fields, "directoryId"),
                            sdk::text_member(user->fields, "identityId"), password);
    if (!set) return set.error();
    return user;
}

/// Anybody may log in as the guest, so it must not change its password.
sdk::Result<void> install_guest(sdk::Context& context, const sdk::Json& seed) {
    auto existing = context.documents().read({kPrincipalType, kDefault}, kGuest);
    if (existing) return {};
    if (!is_missing(existing.error())) return existing.error();
    std::string password = sdk::text_member(section(seed, "guest"), "password");
    if (password.empty()) password = kGuest;
    auto guest =
        create_user(context, {{"name", kGuest}, {"type", "USER"}, {"title", "Guest"}}, password);
    if (!guest) return guest.error();
    auto identity =
        context.documents().read({kIdentityType, sdk::text_member(guest->fields, "directoryId")},
                                 sdk::text_member(guest->fields, "identityId"));
    if (!identity) return identity.error();
    auto entered = context.authorities().grant(context.platform().root, guest->key, "connector");
    if (!entered) return entered;
    return context.authorities().revoke(identity->key, guest->key, "all");
}

/// A repeated `init` is how an operator gets back in. A seed that does not name the administrator
/// gives nothing to whoever bears the usual name, as long as somebody owns the platform.
sdk::Result<void> restore_owner(sdk::Context& context, const sdk::Document& admin, bool is_named) {
    if (principal_of(admin).kind != sdk::PrincipalKind::user) return {};
    if (!is_named) {
        PrincipalLookup principals;
        auto owned = sdk::has_owner(context, principals);
        if (!owned) return owned.error();
        if (*owned) return {};
    }
    return context.authorities().grant(context.platform().root, admin.key, "owner");
}

/// The administrator of the seed; without a password in it nobody is made.
sdk::Result<std::optional<sdk::Document>> install_admin(sdk::Context& context,
                                                        const sdk::Json& seed) {
    const sdk::Json wanted = section(seed, "admin");
    std::string name = sdk::text_member(wanted, "name");
    const std::string password = sdk::text_member(wanted, "password");
    const bool is_named = !name.empty() || !password.empty();
    if (name.empty()) name = "admin";
    auto admin = context.documents().read({kPrincipalType, kDefault}, name);
    if (!admin && !is_missing(admin.error())) return admin.error();
    if (admin) {
        auto restored = restore_owner(context, *admin, is_named);
        if (!restored) return restored.error();
        if (password.empty()) return std::optional<sdk::Document>(*std::move(admin));
        auto changed = set_password(context, sdk::text_member(admin->fields, "directoryId"),
                                    sdk::text_member(admin->fields, "identityId"), password);
        if (!changed) return changed.error();
        return std::optional<sdk::Document>(*std::move(admin));
    }
    if (password.empty()) return std::optional<sdk::Document>();
    sdk::Json fields = {{"name", name}, {"type", "USER"}, {"title", "Administrator"}};
    for (const char* member : {"email", "firstName", "lastName"}) {
        const std::string value = sdk::text_member(wanted, member);
        if (!value.empty()) fields[member] = value;
    }
    admin = create_user(context, std::move(fields), password);
    if (!admin) return admin.error();
    auto granted = context.authorities().grant(context.platform().root, admin->key, "owner");
    if (!granted) return granted.error();
    return std::optional<sdk::Document>(*std::move(admin));
}

/// The record among those of a family whose member has the value, if there is one.
sdk::Result<std::optional<sdk::Document>> find_by(sdk::Context& context, const char* type,
                                                  const sdk::Json& query) {
    sdk::PageRequest first;
    first.limit = 1;
    auto page = context.documents().query({type, ""}, query, first);
    if (!page) return page.error();
    if (page->rows.empty()) return std::optional<sdk::Document>();
    return std::optional<sdk::Document>(std::move(page->rows.front()));
}

sdk::Result<sdk::Document> install_client(sdk::Context& context, const sdk::Json& seed) {
    auto existing = find_by(context, kClientType, {{"isTenantDefault", true}});
    if (!existing) return existing.error();
    const sdk::Json wanted = section(seed, "client");
    const std::string key = sdk::text_member(wanted, "key");
    const std::string secret = sdk::text_member(wanted, "secret");
    if (*existing && (key.empty() || sdk::text_member((*existing)->fields, "key") == key)) {
        return **std::move(existing);
    }
    if (*existing) {
        auto renamed = rename_client(context, **existing, key, secret);
        if (!renamed) return renamed.error();
        return context.documents().read((*existing)->key);
    }
    auto client =
        context.documents().create({kClientType, ""}, {{"title", "Default client"},
                                                       {"allowOpenDriverAuthentication", true},
                                                       {"allowGuestLogin", true},
                                                       {"isTenantDefault", true}});
    if (!client || key.empty()) return client;
    auto renamed = rename_client(context, *client, key, secret);
    if (!renamed) return renamed.error();
    return context.documents().read(client->key);
}

sdk::Result<void> install_grant(sdk::Context& context, const sdk::Json& seed,
                                const sdk::Document& admin) {
    const sdk::Json wanted = section(seed, "grant");
    const std::string key = sdk::text_member(wanted, "key");
    if (key.empty()) return {};
    auto existing = find_by(context, kGrantType, {{"key", key}});
    if (!existing) return existing.error();
    if (*existing) return {};
    auto grant = context.documents().create(
        {kGrantType, ""}, {{"title", "Default authentication grant"},
                           {"principalDomainId", sdk::text_member(admin.fields, "domainId")},
                           {"principalId", admin.id},
                           {"allowOpenDriverAuthentication", true}});
    if (!grant) return grant.error();
    auto patched =
        context.documents().patch({kGrantType, ""}, grant->id,
                                  {{"key", key}, {"secret", sdk::text_member(wanted, "secret")}});
    if (!patched) return patched.error();
    return {};
}

}  // namespace

sdk::Result<void> install(sdk::Context& context, const sdk::Json& seed) {
    if (auto stores = install_stores(context); !stores) return stores;
    if (auto everyone = install_everyone(context); !everyone) return everyone.error();
    if (auto guest = install_guest(context, seed); !guest) return guest;
    auto admin = install_admin(context, seed);
    if (!admin) return admin.error();
    auto client = install_client(context, seed);
    if (!client) return client.error();
    return *admin ? install_grant(context, seed, **admin) : sdk::Result<void>();
}

}  // namespace stele::identity
