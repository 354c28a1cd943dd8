#include <algorithm>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/letter_case.hpp>

#include "kernel/authority/container_chain.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/own_roles.hpp"
#include "kernel/resource/operations/principal_forms.hpp"
#include "kernel/resource/operations/role_operations.hpp"
#include "kernel/resource/record/record_fields.hpp"

namespace stele::kernel::resource {

namespace {

const char* kind_word(sdk::PrincipalKind kind) {
    return kind == sdk::PrincipalKind::user ? "USER" : "GROUP";
}

/// What the caller may know of a principal that it meets on a record: ids take the place of names
/// when it may not read the principal.
sdk::Result<sdk::Principal> as_seen(const RoutedCall& call, sdk::Principal principal) {
    auto readable = call.may_read(principal.key);
    if (!readable) return readable.error();
    if (*readable) return principal;
    principal.name = principal.id;
    principal.email = principal.first_name = principal.last_name = "";
    return principal;
}

sdk::Json acl_row(const sdk::Principal& principal, const std::vector<std::string>& roles) {
    return {{"_doc", principal.id},
            {"name", principal.name},
            {"type", kind_word(principal.kind)},
            {"domainId", principal.domain_id},
            {"domainQualifiedId", principal.qualified_id()},
            {"domainQualifiedName", principal.qualified_name()},
            {"principalId", principal.id},
            {"userEmail", principal.email},
            {"userFirstName", principal.first_name},
            {"userLastName", principal.last_name},
            {"authorities", roles}};
}

/// Somebody on an access list; nothing where the caller is not told of them, or they are gone.
sdk::Result<std::optional<sdk::Principal>> shown_principal(const RoutedCall& call,
                                                           const sdk::RecordKey& key) {
    auto told = is_told_of(call, key);
    if (!told) return told.error();
    if (!*told) return std::optional<sdk::Principal>();
    auto principal = describe_principal(call, key);
    if (!principal && sdk::is_missing(principal.error())) return std::optional<sdk::Principal>();
    if (!principal) return principal.error();
    return std::optional<sdk::Principal>(*std::move(principal));
}

/// A principal that a report is about, and how it was named.
struct ReportSubject {
    sdk::Principal principal;
    std::string asked;
};

/// Those with a grant on the record or on something that it may inherit from, each once.
sdk::Result<std::vector<ReportSubject>> holders_around(RoutedCall& call) {
    auto chain = authority::container_chain(call.work().transaction(), call.services().rights,
                                            call.record_key());
    if (!chain) return chain.error();
    std::vector<ReportSubject> subjects;
    std::set<sdk::RecordKey> known;
    for (std::size_t level = 0; level < chain->size(); ++level) {
        auto acl = call.context().authorities().acl((*chain)[level]);
        if (!acl) return acl.error();
        for (const sdk::AclEntry& entry : *acl) {
            if (!known.insert(entry.principal).second) continue;
            auto principal = shown_principal(call, entry.principal);
            if (!principal) return principal.error();
            if (!*principal) continue;
            const std::string id = (*principal)->id;
            subjects.push_back({**std::move(principal), id});
        }
    }
    return subjects;
}

/// Those that the body names, else all whom a grant may have reached.
sdk::Result<std::vector<ReportSubject>> report_subjects(RoutedCall& call) {
    std::vector<ReportSubject> subjects;
    const sdk::Json& body = call.body();
    const auto named = body.is_object() ? body.find("principals") : body.end();
    if (body.is_object() && named != body.end()) {
        if (!named->is_array()) return sdk::invalid_parameter("principals", "must be an array");
        for (const sdk::Json& form : *named) {
            if (!form.is_string()) return sdk::invalid_parameter("principals", "must hold strings");
            auto principal = find_told_principal(call, form.get_ref<const std::string&>());
            if (!principal) return principal.error();
            subjects.push_back({std::move(*principal), form.get<std::string>()});
        }
        return subjects;
    }
    return holders_around(call);
}

sdk::Result<std::string> principal_name(RoutedCall& call, const sdk::RecordKey& key) {
    auto principal = describe_principal(call, key);
    if (!principal) return principal.error();
    return principal->qualified_id();
}

sdk::Result<std::string> record_name(RoutedCall& call, const sdk::RecordKey& key) {
    if (key == call.context().platform().root) return call.context().platform().id;
    storage::Record record;
    auto found = call.services().records.read(call.work().transaction(), key, record);
    if (!found) return found.error();
    return id_of(record);
}

sdk::Result<sdk::Json> report_of(RoutedCall& call, const sdk::RecordKey& principal) {
    auto origins = call.context().authorities().report(call.record_key(), principal);
    if (!origins) return origins.error();
    sdk::Json report = sdk::Json::object();
    for (const sdk::GrantOrigin& origin : *origins) {
        auto holder = principal_name(call, origin.principal);
        // A grant to somebody who is gone gives nothing.
        if (!holder && sdk::is_missing(holder.error())) continue;
        if (!holder) return holder.error();
        auto permissioned = record_name(call, origin.permissioned);
        if (!permissioned) return permissioned.error();
        sdk::Json row = {
            {"role-key", origin.role_key}, {"principal", *holder}, {"permissioned", *permissioned}};
        if (origin.inherits_from) {
            auto from = record_name(call, *origin.inherits_from);
            if (!from) return from.error();
            row["inheritsFrom"] = {
                {"id", origin.id}, {"principal", *holder}, {"permissioned", *from}};
        }
        report[origin.id] = std::move(row);
    }
    return report;
}

/// The roles that a revoke takes, `all` spelled out.
sdk::Result<std::vector<std::string>> revoked_roles(RoutedCall& call,
                                                    const sdk::Principal& principal,
                                                    const std::string& role) {
    if (role != "all") return std::vector<std::string>{role};
    return call.context().authorities().direct_roles(call.record_key(), principal.key);
}

/// A grant on a container reaches what came into it from others only where the caller has the role
/// there.
sdk::Result<void> reach_what_is_inherited(RoutedCall& call, const sdk::RecordKey& principal) {
    authority::AuthorityStore& authorities = call.services().authorities;
    sdk::Transaction& transaction = call.work().transaction();
    const auto held = authorities.inherited_permissions(transaction, call.context().principal().key,
                                                        call.record_key());
    if (!held) return held.error();
    if (!*held) return {};
    const std::string_view role_key = call.path("authorityId");
    const sdk::BuiltInRole* role = sdk::find_built_in_role(sdk::lower_case(role_key));
    if (!role || !(*held)->contains(role->permissions)) return {};
    return authorities.make_whole(transaction, call.record_key(), principal, role_key);
}

}  // namespace

sdk::Result<sdk::Reply> grant_authority(RoutedCall& call) {
    auto principal = principal_parameter(call);
    if (!principal) return principal.error();
    const auto role = addressed_role(call);
    if (!role) return role.error();
    auto covered = sdk::require_grant(call.context(), call.record_key(), *role);
    if (!covered) return covered.error();
    auto granted = call.context().authorities().grant(call.record_key(), principal->key, *role);
    if (!granted) return granted.error();
    if (auto reached = reach_what_is_inherited(call, principal->key); !reached)
        return reached.error();
    return sdk::Reply::status();
}

sdk::Result<sdk::Reply> revoke_authority(RoutedCall& call) {
    auto principal = principal_parameter(call);
    if (!principal) return principal.error();
    auto role = addressed_role(call);
    if (!role) return role.error();
    *role = sdk::lower_case(*role);
    auto roles = revoked_roles(call, *principal, *role);
    if (!roles) return roles.error();
    if (auto own = require_own(call, *roles); !own) return own.error();
    auto revoked = keep_an_owner(call, principal->key, [&] {
        return call.context().authorities().revoke(call.record_key(), principal->key, *role);
    });
    if (!revoked) return revoked.error();
    return sdk::Reply::status();
}

sdk::Result<sdk::Reply> read_acl(RoutedCall& call) {
    auto acl = call.context().authorities().acl(call.record_key());
    if (!acl) return acl.error();
    sdk::Json rows = sdk::Json::array();
    for (const sdk::AclEntry& entry : *acl) {
        auto principal = shown_principal(call, entry.principal);
        if (!principal) return principal.error();
        if (!*principal) continue;
        auto seen = as_seen(call, **std::move(principal));
        if (!seen) return seen.error();
        rows.push_back(acl_row(*seen, entry.roles));
    }
    return sdk::Reply::page_of(rows, call.page());
}

sdk::Result<sdk::Reply> read_acl_of_principal(RoutedCall& call) {
    auto principal = told_principal_parameter(call);
    if (!principal) return principal.error();
    auto roles = call.context().authorities().direct_roles(call.record_key(), principal->key);
    if (!roles) return roles.error();
    const auto given = call.services().rights.roles_of(call.work().transaction(), call.record_key(),
                                                       principal->key);
    if (!given) return given.error();
    for (const std::string& role : *given) {
        if (std::find(roles->begin(), roles->end(), role) == roles->end()) roles->push_back(role);
    }
    return sdk::Reply::page_of(sdk::Json(*roles), call.page());
}

sdk::Result<sdk::Reply> read_report(RoutedCall& call) {
    auto subjects = report_subjects(call);
    if (!subjects) return subjects.error();
    sdk::Json reply = sdk::Json::object();
    for (const ReportSubject& subject : *subjects) {
        auto report = report_of(call, subject.principal.key);
        if (!report) return report.error();
        const bool is_asked = call.body().contains("principals");
        if (report->empty() && !is_asked) continue;
        // A client asks with qualified ids and reads with bare ones
        // (docs/specification/platform.md 4.4).
        reply[subject.asked] = *report;
        reply[subject.principal.id] = std::move(*report);
    }
    return sdk::Reply::json(reply);
}

}  // namespace stele::kernel::resource
