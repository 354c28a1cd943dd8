#include "person.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "identity_credentials.hpp"
#include "principal_lookup.hpp"
#include "session_rows.hpp"

namespace stele::identity {

namespace {

/// Rows of the users of an identity; on one platform only when `platform_id` is given.
sdk::Result<sdk::Json> user_rows(sdk::Context& context, const sdk::RecordKey& identity,
                                 const std::string& platform_id) {
    auto users = users_of_identity(context, identity);
    if (!users) return users.error();
    sdk::Json rows = sdk::Json::array();
    for (const IdentityUser& user : *users) {
        if (!platform_id.empty() && user.platform_id != platform_id) continue;
        auto record = context.documents().read(user.principal);
        if (!record && is_missing(record.error())) continue;
        if (!record) return record.error();
        rows.push_back(std::move(record->fields));
    }
    return rows;
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
    };
    const sdk::Actions actions{
        {.name = "changepassword",
         .permission = sdk::Permission::modify_credentials,
         .run = sdk::action<&Person::change_password>(),
         .slow = true},
        {.name = "policy/users",
         .method = "GET",
         .run = sdk::action<&Person::users>(),
         .parameters = {{"tenantId"}},
         .paged = true},
        {.name = "users",
         .method = "GET",
         .run = sdk::action<&Person::users>(),
         .parameters = {{"tenantId"}},
         .paged = true},
        {.name = "policy/user",
         .method = "GET",
         .run = sdk::action<&Person::user_on_platform>(),
         .parameters = {{"tenantId", true}}},
    };
    return {.type = kIdentityType,
            .container = kDirectoryType,
            .path = "identities",
            .placeholder = "identityId",
            .container_member = "directoryId",
            .fields = fields,
            .actions = actions,
            .title = "identities"};
}

sdk::Result<void> Person::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
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
    if (sdk::flag_member(call.body(), "validateCurrentPassword", false) &&
        !fits_identity(&identity, sdk::text_member(call.body(), "currentPassword"))) {
        return sdk::make_error(sdk::ErrorKind::invalid, "identity.password_wrong",
                               "the current password is wrong");
    }
    auto changed = set_password(call.context(), call.collection().container, identity.id, password);
    if (!changed) return changed.error();
    return sdk::Reply::status({{"_doc", identity.id}});
}

sdk::Result<sdk::Reply> Person::users(const sdk::Call& call) {
    const std::string tenant = call.parameter("tenantId").value_or("");
    auto rows = user_rows(call.context(), call.record().key, tenant);
    if (!rows) return rows.error();
    return sdk::Reply::page_of(*rows, call.page());
}

sdk::Result<sdk::Reply> Person::user_on_platform(const sdk::Call& call) {
    auto tenant = call.required_parameter("tenantId");
    if (!tenant) return tenant.error();
    auto rows = user_rows(call.context(), call.record().key, *tenant);
    if (!rows) return rows.error();
    if (rows->empty()) {
        return sdk::make_error(sdk::ErrorKind::not_found, "identity.user_unknown",
                               "this identity has no user there");
    }
    return sdk::Reply::json(rows->front());
}

}  // namespace stele::identity
