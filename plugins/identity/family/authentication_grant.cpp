#include "authentication_grant.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>

#include "rights/credential_rights.hpp"
#include "rights/principal_lookup.hpp"
#include "token/key_and_secret.hpp"

namespace stele::identity {

namespace {

/// Hexadecimal, of the principal's key, next to the secret: an id may come to name somebody else.
constexpr char kSealedPrincipal[] = "principal";

/// The user that a grant names, if the caller may make a grant in its name.
sdk::Result<sdk::Principal> granted_principal(const sdk::Json& grant, sdk::Context& context) {
    const std::string form = principal_form(grant);
    auto record = find_principal_record(context, form);
    if (!record && !is_missing(record.error())) return record.error();
    if (!record || principal_of(*record).kind != sdk::PrincipalKind::user) {
        return sdk::make_error({{"principalId", "identity.authentication_grant_principal_unknown",
                                 "there is no user " + form}});
    }
    sdk::Principal principal = principal_of(*record);
    if (record->key == context.principal().key) {
        auto itself = require_person_of(context, record->key);
        return itself ? sdk::Result<sdk::Principal>(principal) : itself.error();
    }
    auto may = sdk::holds(context, record->key, sdk::Permission::impersonate);
    if (!may) return may.error();
    if (*may) {
        auto covered = require_person_of(context, record->key);
        return covered ? sdk::Result<sdk::Principal>(principal) : covered.error();
    }
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "IMPERSONATE on " + form + " is needed for a grant in its name");
}

/// Whether the caller may have what logs in as the principal of the grant.
sdk::Result<bool> may_log_in(sdk::Context& context, const sdk::Json& grant) {
    auto principal = find_principal_record(context, principal_form(grant));
    if (!principal && is_missing(principal.error())) return true;
    if (!principal) return principal.error();
    auto covered = require_person_of(context, principal->key);
    if (covered) return true;
    if (covered.error().kind == sdk::ErrorKind::forbidden) return false;
    return covered.error();
}

}  // namespace

std::string principal_form(const sdk::Json& grant) {
    const std::string domain = sdk::text_member(grant, "principalDomainId");
    const std::string principal = sdk::text_member(grant, "principalId");
    return domain.empty() ? principal : domain + "/" + principal;
}

bool stands_for(const sdk::Document& grant, const sdk::RecordKey& principal) {
    return sdk::text_member(grant.secrets, kSealedPrincipal) == sdk::hex_text(principal);
}

sdk::ResourceDescriptor AuthenticationGrant::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields own{
        {.name = "principalDomainId", .kind = text},
        {.name = "principalId", .kind = text, .required = true},
        {.name = "clientId", .kind = text},
        {.name = "enabled", .kind = boolean, .default_json = "true"},
        {.name = "allowOpenDriverAuthentication", .kind = boolean, .default_json = "false"},
        // Lists are filtered by it; the same as principalDomainId.
        {.name = "domainId", .kind = text, .read_only = true},
    };
    sdk::Fields fields = with_key_and_secret(own);
    for (sdk::Field& field : fields)
        field.withheld = field.name == "key";
    return {.type = kGrantType,
            .path = "auth/grants",
            .placeholder = "authenticationGrantId",
            .fields = std::move(fields),
            .presented_by = {"full"},
            .is_presented = true,
            .list_filters = {"clientId", "domainId", "principalId"},
            .slow_writes = true,
            .title = "authentication grants"};
}

sdk::Result<void> AuthenticationGrant::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return {};
    sdk::Json& fields = change.after->fields;
    if (change.kind == sdk::ChangeKind::create) make_key_and_secret(*change.after);
    // Each update too: whoever opens a grant, or enables it, may log in with it.
    auto principal = granted_principal(fields, context);
    if (!principal) return principal.error();
    // Whatever form the caller used: lists are asked for by id.
    fields["principalDomainId"] = principal->domain_id;
    fields["principalId"] = principal->id;
    fields["domainId"] = principal->domain_id;
    change.after->secrets[kSealedPrincipal] = sdk::hex_text(principal->key);
    return {};
}

/// Whoever reads what opens a grant may log in with it: the secret, or the key where that is
/// enough.
sdk::Result<void> AuthenticationGrant::present(const sdk::Call& call, sdk::Json& record) {
    auto may = may_log_in(call.context(), record);
    if (!may) return may.error();
    if (*may) return present_secret(call, kGrantType, record);
    if (sdk::flag_member(record, "allowOpenDriverAuthentication", false)) record.erase("key");
    return {};
}

/// As `present` does.
sdk::Result<void> AuthenticationGrant::complete_secrets(sdk::Context& context,
                                                        const sdk::Document& record,
                                                        sdk::Json& secrets) {
    auto may = may_log_in(context, record.fields);
    if (!may) return may.error();
    if (*may) add_key_and_secret(record, secrets);
    return {};
}

sdk::Result<bool> AuthenticationGrant::restore_secrets(sdk::Context& context,
                                                       const sdk::Document& record,
                                                       const sdk::Json& secrets) {
    const auto brought = BroughtKey::of(secrets);
    if (!brought || !brought->is_made_key()) return false;
    auto may = may_log_in(context, record.fields);
    if (!may) return may.error();
    if (!*may) return false;
    // Keys of grants are looked for before names of users are.
    auto user = find_principal_record(context, brought->key);
    if (user) return false;
    if (!is_missing(user.error())) return user.error();
    return restore_key_and_secret(context, kGrantType, record, *brought, true);
}

}  // namespace stele::identity
