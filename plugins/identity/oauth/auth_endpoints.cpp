#include "auth_endpoints.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "family/client.hpp"
#include "rights/credential_rights.hpp"
#include "rights/principal_lookup.hpp"
#include "token/oauth_error.hpp"
#include "token/session_epochs.hpp"
#include "token/token_authenticator.hpp"
#include "token/token_request.hpp"

namespace stele::identity {

namespace {

/// The token of the request in clear, as the authenticator has read it.
std::string token_of(const sdk::Call& call) {
    for (const sdk::CredentialPart& part : token_parts()) {
        const std::string parameter = part.place == sdk::CredentialPart::Place::parameter
                                          ? call.parameter(part.name).value_or(std::string())
                                          : std::string();
        const std::string_view header = call.header(sdk::header_of(part)).value_or("");
        const std::string_view value =
            parameter.empty() ? sdk::credential_in(part, header) : parameter;
        std::string decoded;
        if (!value.empty()) return std::string(presented_token({&part, value}, decoded));
    }
    return {};
}

/// The tenant of a platform as clients know it; the root platform stands for itself.
void add_tenant(sdk::Json& info, const sdk::Json& platform) {
    const std::string platform_id = sdk::text_member(platform, "_doc");
    std::string tenant_id = sdk::text_member(platform, "ownerTenantId");
    if (tenant_id.empty()) tenant_id = platform_id;
    const std::string title = sdk::text_member(platform, "title");
    info["tenantId"] = tenant_id;
    info["tenantTitle"] = title;
    info["tenantDescription"] = sdk::text_member(platform, "description");
    info["tenantRegistrarId"] = sdk::text_member(platform, "ownerRegistrarId");
    info["tenant"] = {{"_doc", tenant_id}, {"title", title}, {"platformId", platform_id}};
}

}  // namespace

sdk::Result<sdk::Reply> AuthEndpoints::info(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const sdk::Principal& caller = context.principal();
    auto user = context.documents().read(caller.key);
    if (!user) return user.error();
    auto platform = context.documents().read(context.platform().root);
    if (!platform) return platform.error();
    const std::string token = token_of(call);
    auto refresh_token = issuer_.refresh_token_of(context, token);
    if (!refresh_token) return refresh_token.error();

    sdk::Json info = {{"principalId", caller.id},
                      {"principalDomainId", caller.domain_id},
                      {"principalName", caller.name}};
    add_tenant(info, platform->fields);
    info["clientId"] = context.session().client_key;
    info["ticket"] = token;
    info["directoryId"] = sdk::text_member(user->fields, "directoryId");
    info["identityId"] = sdk::text_member(user->fields, "identityId");
    info["accessToken"] = token;
    if (!refresh_token->empty()) info["refreshToken"] = *refresh_token;
    info["user"] = std::move(user->fields);
    return sdk::Reply::json(info).header("Cache-Control", "no-store");
}

sdk::Result<sdk::Reply> AuthEndpoints::expire(const sdk::Call& call) {
    auto all = call.flag("all");
    if (!all) return all.error();
    sdk::Context& context = call.context();
    auto guest = is_guest(context, context.principal());
    if (!guest) return guest.error();
    const bool ends_all = all->value_or(false);
    // Everybody may be the guest: nobody ends the others' sessions.
    const std::string token = TokenReference::of(context.session()).digest;
    auto expired = ends_all && !*guest ? end_sessions(context, context.principal().key)
                                       : issuer_.expire(context, token, ends_all);
    if (!expired) return expired.error();
    return sdk::Reply::status().header("Set-Cookie", cookie_.forget());
}

sdk::Result<sdk::Reply> AuthEndpoints::impersonate(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const std::string form =
        std::string(call.path("domainId")) + "/" + std::string(call.path("principalId"));
    auto record = find_principal_record(context, form);
    if (!record) return record.error();
    auto may = sdk::holds(context, record->key, sdk::Permission::impersonate);
    if (!may) return may.error();
    if (!*may) {
        auto is_known = sdk::holds(context, record->key, sdk::Permission::connect);
        if (!is_known) return is_known.error();
        if (!*is_known) return unknown_principal(form);
        return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                               "IMPERSONATE on " + form + " is needed for this");
    }
    if (auto covered = require_cover_of(context, record->key); !covered) return covered.error();
    const sdk::Principal user = principal_of(*record);
    if (user.kind != sdk::PrincipalKind::user || !user.enabled) {
        return invalid_grant(form + " is a group or a disabled user");
    }
    auto client = context.documents().read({kClientType, ""}, context.session().client_key);
    if (!client) return client.error();
    auto actors = issuer_.actors_behind(context, TokenReference::of(context.session()).digest);
    if (!actors) return actors.error();
    auto issued = issuer_.issue(context, *client, user, "api", *std::move(actors));
    if (!issued) return issued.error();
    return token_reply(*issued, cookie_);
}

sdk::Result<sdk::Reply> AuthEndpoints::ping(const sdk::Call&) {
    return sdk::Reply::status();
}

}  // namespace stele::identity
