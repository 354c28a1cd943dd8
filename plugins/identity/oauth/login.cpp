#include "login.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "family/authentication_grant.hpp"
#include "rights/principal_lookup.hpp"
#include "token/identity_credentials.hpp"
#include "token/oauth_error.hpp"

namespace stele::identity {

namespace {

sdk::Error refused() {
    return invalid_grant("the user name or the password is wrong");
}

/// Nothing when no grant has the key.
sdk::Result<std::optional<sdk::Document>> find_grant(sdk::Context& context, std::string_view key) {
    auto grant = context.documents().read({kGrantType, ""}, key);
    if (!grant && !is_missing(grant.error())) return grant.error();
    // The same place also answers to ids, which are no keys.
    if (!grant || sdk::text_member(grant->fields, "key") != key)
        return std::optional<sdk::Document>();
    return std::optional<sdk::Document>(*std::move(grant));
}

sdk::Result<sdk::Principal> log_in_by_grant(sdk::Context& context, const sdk::Document& grant,
                                            const sdk::Document& client,
                                            const std::optional<std::string>& password) {
    if (!sdk::flag_member(grant.fields, "enabled", true)) return refused();
    const std::string client_key = sdk::text_member(grant.fields, "clientId");
    if (!client_key.empty() && client_key != sdk::text_member(client.fields, "key"))
        return refused();
    const std::string secret = sdk::text_member(grant.secrets, "secret");
    const bool is_open = sdk::flag_member(grant.fields, "allowOpenDriverAuthentication", false);
    const bool has_password = password && !password->empty();
    if (has_password ? !sdk::equals_in_constant_time(secret, *password) : !is_open) {
        return refused();
    }
    auto record = find_principal_record(context, principal_form(grant.fields));
    if (!record) return is_missing(record.error()) ? refused() : record.error();
    if (!stands_for(grant, record->key)) return refused();
    return principal_of(*record);
}

sdk::Result<sdk::Principal> log_in_by_password(sdk::Context& context, const sdk::Document& client,
                                               std::string_view username,
                                               std::string_view password) {
    auto record = find_principal_record(context, username);
    if (!record) {
        if (!is_missing(record.error())) return record.error();
        static_cast<void>(fits_identity(nullptr, password));
        return refused();
    }
    sdk::Principal user = principal_of(*record);
    auto identity = identity_of_user(context, user.key);
    if (!identity) return identity.error();
    if (!fits_identity(*identity ? &**identity : nullptr, password)) return refused();
    auto guest = is_guest(context, user);
    if (!guest) return guest.error();
    if (*guest && !sdk::flag_member(client.fields, "allowGuestLogin", false)) return refused();
    return user;
}

}  // namespace

sdk::Result<sdk::Document> authenticate_client(sdk::Context& context, const sdk::RecordKey& client,
                                               const ClientCredentials& credentials) {
    auto record = context.documents().read(client);
    if (!record && !is_missing(record.error())) return record;
    if (!record) return invalid_client("the client is unknown");
    if (!sdk::flag_member(record->fields, "enabled", true)) {
        return invalid_client("the client is disabled");
    }
    if (credentials.secret.empty()) {
        if (sdk::flag_member(record->fields, "allowOpenDriverAuthentication", false)) return record;
        return invalid_client("the client must give its secret");
    }
    const std::string secret = sdk::text_member(record->secrets, "secret");
    if (!sdk::equals_in_constant_time(secret, credentials.secret)) {
        return invalid_client("the client's secret is wrong");
    }
    return record;
}

sdk::Result<sdk::Principal> log_in(sdk::Context& context, const sdk::Document& client,
                                   std::string_view username,
                                   const std::optional<std::string>& password) {
    auto grant = find_grant(context, username);
    if (!grant) return grant.error();
    auto principal =
        *grant ? log_in_by_grant(context, **grant, client, password)
               : log_in_by_password(context, client, username, password.value_or(std::string()));
    if (!principal) return principal;
    const bool is_user = principal->kind == sdk::PrincipalKind::user;
    if (!is_user || !principal->enabled) return refused();
    return principal;
}

void note_refused_login(sdk::Activities* activities, const sdk::PlatformScope& platform,
                        const sdk::Call& call, std::string_view claimed, const sdk::Error& error) {
    using enum sdk::ErrorKind;
    const bool is_refusal = error.kind == invalid || error.kind == unauthenticated;
    if (!activities || !is_refusal) return;
    sdk::NewActivity refusal{.type = "login.refused", .user = {}};
    refusal.user.name = claimed;
    activities->note_refused(platform, call, refusal);
}

}  // namespace stele::identity
