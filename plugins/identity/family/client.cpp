#include "client.hpp"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "token/key_and_secret.hpp"
#include "token/row_access.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

/// Times of validity beyond ten years are taken for mistakes.
/// Whoever logs in by a client walks through them.
constexpr std::size_t kMaxEntries = 1000;
constexpr std::int64_t kMaxSeconds = 10LL * 365 * 24 * 3600;

/// Members that say who comes in by the client, and where a user's code goes.
constexpr const char* kDoors[] = {"scope",
                                  "authorizedGrantTypes",
                                  "enabled",
                                  "domainUrls",
                                  "registeredRedirectUri",
                                  "allowGuestLogin",
                                  "allowOpenDriverAuthentication"};

/// Whoever changes where codes go may get those of other users: as much as the secret opens.
sdk::Result<void> require_client_rights(const sdk::Change& change, sdk::Context& context) {
    const sdk::Json& before = change.before->fields;
    const sdk::Json& after = change.after->fields;
    const bool is_changed =
        std::any_of(std::begin(kDoors), std::end(kDoors), [&](const char* name) {
            return before.value(name, sdk::Json()) != after.value(name, sdk::Json());
        });
    if (!is_changed) return {};
    auto may = sdk::holds(context, change.before->key, sdk::Permission::modify_credentials);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        "MODIFY_CREDENTIALS on the client is needed to change who comes in by it");
}

void check_seconds(const sdk::Json& fields, const char* name, sdk::Violations& violations) {
    const auto member = fields.find(name);
    if (member == fields.end() || member->is_null()) return;
    const auto seconds = sdk::integer_member(fields, name);
    if (seconds && *seconds > 0 && *seconds <= kMaxSeconds) return;
    violations.push_back({name, "identity.client_validity_malformed",
                          std::string(name) + " must be a number of seconds above 0"});
}

}  // namespace

sdk::ResourceDescriptor ClientFamily::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields own{
        {.name = "scope", .default_json = R"(["api"])", .most = kMaxEntries},
        {.name = "authorizedGrantTypes",
         .kind = array,
         .items = text,
         .default_json = R"(["password","authorization_code","refresh_token"])",
         .most = kMaxEntries},
        {.name = "enabled", .kind = boolean, .default_json = "true"},
        {.name = "allowOpenDriverAuthentication", .kind = boolean, .default_json = "false"},
        {.name = "allowGuestLogin", .kind = boolean, .default_json = "false"},
        {.name = "domainUrls",
         .kind = array,
         .items = text,
         .default_json = "[]",
         .most = kMaxEntries},
        {.name = "registeredRedirectUri", .most = kMaxEntries},
        {.name = "accessTokenValiditySeconds", .kind = number, .numeric_text = true},
        {.name = "refreshTokenValiditySeconds", .kind = number, .numeric_text = true},
        {.name = "isTenantDefault", .kind = boolean, .default_json = "false"},
        {.name = "defaultTenantId", .kind = text},
    };
    return {.type = kClientType,
            .path = "clients",
            .placeholder = "clientId",
            .fields = with_key_and_secret(own),
            .presented_by = {"full"},
            .title = "clients"};
}

sdk::Result<void> ClientFamily::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::create) {
        make_key_and_secret(*change.after);
    }
    if (change.kind == sdk::ChangeKind::update) return require_client_rights(change, context);
    if (change.kind == sdk::ChangeKind::remove) {
        const SessionKeys keys = SessionKeys::of(context);
        context.transaction().remove(
            keys.client_key(sdk::text_member(change.before->fields, "key")));
        context.transaction().remove(keys.client(change.before->key));
    }
    return {};
}

void ClientFamily::validate(const sdk::Change& change, sdk::Context&, sdk::Violations& violations) {
    if (change.kind == sdk::ChangeKind::remove) return;
    check_seconds(change.after->fields, "accessTokenValiditySeconds", violations);
    check_seconds(change.after->fields, "refreshTokenValiditySeconds", violations);
}

sdk::Result<void> ClientFamily::stored(const sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    const SessionKeys keys = SessionKeys::of(context);
    const std::string key = sdk::text_member(change.after->fields, "key");
    if (change.before) {
        const std::string old = sdk::text_member(change.before->fields, "key");
        if (old != key) context.transaction().remove(keys.client_key(old));
    }
    auto taken = read_row<ClientPlace>(context.transaction(), keys.client_key(key));
    if (!taken) return taken.error();
    if (*taken && (*taken)->client != change.after->key) {
        // Keys are unique across platforms, because a token request names nothing else.
        return sdk::make_error(sdk::ErrorKind::conflict, "identity.client_key_taken",
                               "another client has the key already");
    }
    const ClientPlace place{context.platform().number, change.after->key};
    const ClientRow row{key, sdk::flag_member(change.after->fields, "enabled", true)};
    context.transaction().put(keys.client_key(key), place.encode());
    context.transaction().put(keys.client(change.after->key), row.encode());
    return {};
}

sdk::Result<void> ClientFamily::present(const sdk::Call& call, sdk::Json& record) {
    return present_secret(call, kClientType, record);
}

sdk::Result<void> ClientFamily::complete_secrets(sdk::Context&, const sdk::Document& record,
                                                 sdk::Json& secrets) {
    add_key_and_secret(record, secrets);
    return {};
}

/// Keys are unique across platforms, so a tenant could take one that others wait for: only whoever
/// manages the first platform brings one back.
sdk::Result<bool> ClientFamily::restore_secrets(sdk::Context& context, const sdk::Document& record,
                                                const sdk::Json& secrets) {
    const auto brought = BroughtKey::of(secrets);
    if (!brought) return false;
    bool may_take_key = context.platform().number == registrar_.root_platform().number;
    if (may_take_key) {
        auto may =
            sdk::holds(context, context.platform().root, sdk::Permission::modify_credentials);
        if (!may) return may.error();
        auto taken = read_row<ClientPlace>(context.transaction(),
                                           SessionKeys::of(context).client_key(brought->key));
        if (!taken) return taken.error();
        may_take_key = *may && !*taken;
    }
    return restore_key_and_secret(context, kClientType, record, *brought, may_take_key);
}

sdk::Result<void> rename_client(sdk::Context& context, const sdk::Document& client,
                                std::string_view key, std::string_view secret) {
    auto patched =
        context.documents().patch({kClientType, ""}, client.id, {{"key", key}, {"secret", secret}});
    if (!patched) return patched.error();
    return {};
}

}  // namespace stele::identity
