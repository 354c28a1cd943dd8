#include "person.hpp"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/record_pages.hpp>

#include "rights/credential_rights.hpp"
#include "rights/principal_lookup.hpp"
#include "token/identity_credentials.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

constexpr char kPassword[] = "password";

/// A user of an identity, by the platform that it lies on.
struct Place {
    sdk::PlatformScope platform;
    sdk::RecordKey user;
};

/// Whether the platform is that of a tenant, named by its id or its platform's.
sdk::Result<bool> is_of_tenant(sdk::Context& context, const Place& place,
                               const std::string& tenant) {
    if (tenant.empty() || tenant == place.platform.id) return true;
    auto root = context.documents().read(place.platform.root);
    if (!root) return root.error();
    return tenant == sdk::text_member(root->fields, "ownerTenantId");
}

/// Where the person has users; of one tenant only, when it is given.
sdk::Result<std::vector<Place>> places_of(sdk::Platforms& platforms, sdk::Context& context,
                                          const sdk::RecordKey& identity,
                                          const std::string& tenant) {
    auto users = users_of_identity(context, identity);
    if (!users) return users.error();
    std::vector<Place> places;
    for (IdentityUser& user : *users) {
        // A removed platform and its users are gone before they are erased.
        auto platform = platforms.find(context, user.platform_id);
        if (!platform && is_missing(platform.error())) continue;
        if (!platform) return platform.error();
        Place place{*std::move(platform), std::move(user.principal)};
        auto is_wanted = is_of_tenant(context, place, tenant);
        if (!is_wanted) return is_wanted.error();
        if (*is_wanted) places.push_back(std::move(place));
    }
    return places;
}

/// Whether the caller may read a tenant's record, or is whom it was made for.
sdk::Result<bool> may_see(sdk::Context& context, const sdk::Document& tenant) {
    const sdk::Principal& caller = context.principal();
    if (sdk::text_member(tenant.fields, "principalId") == caller.id &&
        sdk::text_member(tenant.fields, "domainId") == caller.domain_id) {
        return true;
    }
    return sdk::holds(context, tenant.key, sdk::Permission::read);
}

/// The record of the tenant that a platform is, if its registrar is the wanted one and the caller
/// may see it.
sdk::Result<std::optional<sdk::Json>> tenant_record(sdk::Context& context, const Place& place,
                                                    const std::string& registrar) {
    auto root = context.documents().read(place.platform.root);
    if (!root) return root.error();
    const std::string registrar_id = sdk::text_member(root->fields, "ownerRegistrarId");
    const std::string tenant_id = sdk::text_member(root->fields, "ownerTenantId");
    if (tenant_id.empty() || (!registrar.empty() && registrar != registrar_id)) {
        return std::optional<sdk::Json>();
    }
    auto record = context.documents().read({"tenant", registrar_id}, tenant_id);
    if (!record && is_missing(record.error())) return std::optional<sdk::Json>();
    if (!record) return record.error();
    auto visible = may_see(context, *record);
    if (!visible) return visible.error();
    if (!*visible) return std::optional<sdk::Json>();
    return std::optional<sdk::Json>(std::move(record->fields));
}

sdk::Shape password_change() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{kPassword, text()},
                               {"verifyPassword", text()},
                               optional("currentPassword", text()),
                               optional("validateCurrentPassword", sdk::shape::boolean())});
}

/// Records of a family that another plugin offers.
sdk::Shape tenants_page() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::page(
        sdk::shape::object({{"_doc", text()},
                            optional("planKey", text()),
                            optional("principalId", text()),
                            optional("domainId", text()),
                            optional("platformId", text()),
                            optional("enabled", sdk::shape::null_or(sdk::shape::boolean()))}));
}

/// Under two paths.
sdk::Action users_action(const char* name) {
    return {.name = name,
            .method = "GET",
            .run = sdk::action<&Person::users>(),
            .parameters = {{"tenantId"}},
            .paged = true,
            .slow = true,
            .answers = sdk::shape::page(sdk::shape::record(kPrincipalType))};
}

sdk::Actions person_actions() {
    return {
        {.name = "changepassword",
         .permission = sdk::Permission::modify_credentials,
         .run = sdk::action<&Person::change_password>(),
         .slow = true,
         .takes = password_change(),
         .answers = sdk::shape::changed()},
        users_action("policy/users"),
        users_action("users"),
        {.name = "policy/tenants",
         .method = "GET",
         .run = sdk::action<&Person::tenants>(),
         .parameters = {{"registrarId"}, {"authorityId"}},
         .paged = true,
         .slow = true,
         .answers = tenants_page()},
        {.name = "policy/user",
         .method = "GET",
         .run = sdk::action<&Person::user_on_platform>(),
         .parameters = {{"tenantId", true}},
         .slow = true,
         .answers = sdk::shape::record(kPrincipalType)},
    };
}

}  // namespace

sdk::ResourceDescriptor Person::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "name", .kind = text},
        {.name = "email", .kind = text},
        {.name = kPasswordHash, .kind = text, .read_only = true, .secret = true},
        // Changed by `changepassword` alone; what clients send here is neither kept nor shown.
        {.name = kPassword, .kind = text, .secret = true},
    };
    return {.type = kIdentityType,
            .container = kDirectoryType,
            .path = "identities",
            .placeholder = "identityId",
            .container_member = "directoryId",
            .fields = fields,
            // It comes and goes with its user.
            .operations = {.transfer = false},
            .actions = person_actions(),
            .title = "identities"};
}

sdk::Result<void> Person::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) {
        change.after->secrets.erase(kPassword);
        return {};
    }
    auto users = users_of_identity(context, change.before->key);
    if (!users) return users.error();
    if (!users->empty()) {
        return sdk::make_error(sdk::ErrorKind::conflict, "identity.in_use",
                               "the identity belongs to users; remove these first");
    }
    const SessionKeys keys = SessionKeys::of(context);
    context.transaction().remove(keys.identity_place(
        context.platform().number, change.collection.container, change.before->id));
    return {};
}

sdk::Result<void> Person::stored(const sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::create) return {};
    const SessionKeys keys = SessionKeys::of(context);
    context.transaction().put(keys.identity_place(context.platform().number,
                                                  change.collection.container, change.after->id),
                              change.after->key);
    return {};
}

sdk::Result<sdk::Reply> Person::change_password(const sdk::Call& call) {
    const std::string password = sdk::text_member(call.body(), "password");
    if (password.empty()) return sdk::invalid_parameter("password", "is required");
    if (password != sdk::text_member(call.body(), "verifyPassword")) {
        return sdk::make_error(sdk::ErrorKind::invalid, "identity.password_mismatch",
                               "password and verifyPassword differ");
    }
    const sdk::Document& identity = call.record();
    if (auto may = require_password_rights(call.context(), identity.key); !may) return may.error();
    const std::string present = sdk::text_member(call.body(), "currentPassword");
    auto proved = sdk::flag_member(call.body(), "validateCurrentPassword", false)
                      ? passwords_.require_present(identity, present)
                      : passwords_.check_present(call.context(), identity, present);
    if (!proved) return proved.error();
    if (auto fit = passwords_.check_new(password); !fit) return fit.error();
    auto changed = set_password(call.context(), call.collection().container, identity.id, password);
    if (!changed) return changed.error();
    return sdk::Reply::status({{"_doc", identity.id}});
}

sdk::Result<sdk::Reply> Person::users(const sdk::Call& call) {
    auto places = places_of(platforms_, call.context(), call.record().key,
                            call.parameter("tenantId").value_or(""));
    if (!places) return places.error();
    std::vector<sdk::RecordKey> keys;
    for (Place& place : *places)
        keys.push_back(std::move(place.user));
    return sdk::page_of_records(call, rows_, keys);
}

sdk::Result<sdk::Reply> Person::user_on_platform(const sdk::Call& call) {
    auto tenant = call.required_parameter("tenantId");
    if (!tenant) return tenant.error();
    auto places = places_of(platforms_, call.context(), call.record().key, *tenant);
    if (!places) return places.error();
    for (const Place& place : *places) {
        auto user = call.context().documents().read(place.user);
        if (user) return sdk::Reply::json(user->fields);
        if (!is_missing(user.error())) return user.error();
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "identity.user_unknown",
                           "this identity has no user there");
}

sdk::Result<sdk::Reply> Person::tenants(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const std::string registrar = call.parameter("registrarId").value_or("");
    const std::string role = call.parameter("authorityId").value_or("");
    auto places = places_of(platforms_, context, call.record().key, "");
    if (!places) return places.error();
    std::vector<sdk::Json> rows;
    for (const Place& place : *places) {
        const bool is_here = place.platform.number == context.platform().number;
        if (is_here && registrar.empty()) continue;
        auto user = context.documents().read(place.user);
        if (!user && is_missing(user.error())) continue;
        if (!user) return user.error();
        if (!role.empty()) {
            auto has = context.authorities().has_role(place.user, place.platform.root, role);
            if (!has) return has.error();
            if (!*has) continue;
        }
        auto tenant = tenant_record(context, place, registrar);
        if (!tenant) return tenant.error();
        if (*tenant) rows.push_back(**std::move(tenant));
    }
    return rows_.page(rows, sdk::Json::object(), call.page());
}

}  // namespace stele::identity
