#include "principal_lookup.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "token/identity_credentials.hpp"
#include "token/row_access.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"
#include "token/token_request.hpp"

namespace stele::identity {

namespace {

sdk::Result<sdk::Document> find_in_domain(sdk::Context& context, std::string_view domain,
                                          std::string_view name, std::string_view form) {
    auto domain_record = context.documents().read({kDomainType, ""}, domain);
    if (!domain_record) {
        return is_missing(domain_record.error()) ? unknown_principal(form) : domain_record.error();
    }
    auto record = context.documents().read({kPrincipalType, domain_record->id}, name);
    if (!record && is_missing(record.error())) return unknown_principal(form);
    return record;
}

}  // namespace

sdk::Principal principal_of(const sdk::Document& record) {
    sdk::Principal principal;
    principal.key = record.key;
    principal.kind = sdk::text_member(record.fields, "type") == "GROUP" ? sdk::PrincipalKind::group
                                                                        : sdk::PrincipalKind::user;
    principal.id = record.id;
    principal.name = sdk::text_member(record.fields, "name");
    principal.domain_id = sdk::text_member(record.fields, "domainId");
    principal.email = sdk::text_member(record.fields, "email");
    principal.first_name = sdk::text_member(record.fields, "firstName");
    principal.last_name = sdk::text_member(record.fields, "lastName");
    principal.enabled = sdk::flag_member(record.fields, "enabled", true);
    return principal;
}

sdk::Error unknown_principal(std::string_view form) {
    return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown",
                           "there is no principal " + std::string(form));
}

sdk::Result<sdk::Document> find_principal_record(sdk::Context& context, std::string_view form,
                                                 std::string_view home_domain) {
    const auto [domain, name] = split_qualified(form);
    if (name.empty()) return unknown_principal(form);
    if (!domain.empty()) return find_in_domain(context, domain, name, form);
    if (!home_domain.empty()) {
        auto at_home = find_in_domain(context, home_domain, name, form);
        if (at_home || !is_missing(at_home.error())) return at_home;
    }
    return find_in_domain(context, kPrimary, name, form);
}

sdk::Result<bool> is_guest(sdk::Context& context, const sdk::Principal& principal) {
    if (principal.name != kGuest) return false;
    auto primary = context.documents().read({kDomainType, ""}, kPrimary);
    if (!primary) return primary.error();
    return primary->id == principal.domain_id;
}

sdk::Result<sdk::Principal> PrincipalLookup::find(sdk::Context& context, std::string_view form,
                                                  std::string_view home_domain) {
    auto record = find_principal_record(context, form, home_domain);
    if (!record) return record.error();
    return principal_of(*record);
}

sdk::Result<sdk::Principal> PrincipalLookup::describe(sdk::Context& context,
                                                      const sdk::RecordKey& key) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(key));
    if (!row) return row.error();
    if (!*row) {
        return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown",
                               "there is no such principal");
    }
    return std::move((*row)->principal);
}

/// By the row that is kept of the record: its domain is the primary one where it has the id that
/// every platform's primary domain was made with. The guest is never renamed.
sdk::Result<bool> PrincipalLookup::is_of_everyone(const sdk::Reader& reader,
                                                  const sdk::RecordKey& principal) {
    if (guest_is_everyone_) return true;
    auto row = read_row<PrincipalRow>(reader, SessionKeys(session_space_).principal(principal));
    if (!row) return row.error();
    if (!*row) return true;
    const sdk::Principal& known = (*row)->principal;
    return known.name != kGuest || known.domain_id != kPrimaryId;
}

sdk::Result<bool> PrincipalLookup::may_act(const sdk::Reader& reader,
                                           const sdk::RecordKey& principal) {
    auto row = read_row<PrincipalRow>(reader, SessionKeys(session_space_).principal(principal));
    if (!row) return row.error();
    return !*row || (*row)->principal.enabled;
}

sdk::Result<bool> PrincipalLookup::is_guest(sdk::Context& context,
                                            const sdk::Principal& principal) {
    return identity::is_guest(context, principal);
}

sdk::Result<bool> PrincipalLookup::can_log_in(sdk::Context& context, const sdk::Principal& user) {
    if (!user.enabled) return false;
    return has_password(context, user.key);
}

}  // namespace stele::identity
