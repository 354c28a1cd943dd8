#include "policy_search.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "assignments.hpp"
#include "policy_catalogue.hpp"
#include "root_policy.hpp"

namespace stele::access_policies {

sdk::Result<std::vector<std::string>> PolicySearch::assigned_to(std::string_view reference,
                                                                bool is_inherited) {
    sdk::Context& context = call_.context();
    Assignments assignments(context);
    auto direct = assignments.policies_of(reference);
    if (!direct) return direct;
    std::set<std::string> ids(direct->begin(), direct->end());
    auto principal = context.find_reference(reference);
    if (!principal) {
        const sdk::ErrorKind kind = principal.error().kind;
        const bool names_nothing =
            kind == sdk::ErrorKind::not_found || kind == sdk::ErrorKind::invalid;
        if (names_nothing) return direct;
        return principal.error();
    }
    auto of_principal = assignments.policies_of_principal(*principal);
    if (!of_principal) return of_principal;
    ids.insert(of_principal->begin(), of_principal->end());
    if (is_inherited) {
        if (auto added = add_inherited(*principal, ids); !added) return added.error();
    }
    return std::vector<std::string>(ids.begin(), ids.end());
}

sdk::Result<void> PolicySearch::add_inherited(const sdk::RecordKey& principal,
                                              std::set<std::string>& ids) {
    sdk::Context& context = call_.context();
    Assignments assignments(context);
    auto groups = context.authorities().memberships(principal, true);
    if (!groups) return groups.error();
    auto everyone = context.authorities().everyone();
    if (!everyone) return everyone.error();
    if (*everyone) groups->push_back(**everyone);
    for (const sdk::RecordKey& group : *groups) {
        auto reference = context.reference(group);
        if (!reference) return reference.error();
        auto of_reference = assignments.policies_of(*reference);
        if (!of_reference) return of_reference.error();
        ids.insert(of_reference->begin(), of_reference->end());
        auto of_group = assignments.policies_of_principal(group);
        if (!of_group) return of_group.error();
        ids.insert(of_group->begin(), of_group->end());
    }
    return {};
}

sdk::Result<std::vector<std::string>> PolicySearch::assigned_to_principal(
    const sdk::RecordKey& principal) {
    sdk::Context& context = call_.context();
    auto reference = context.reference(principal);
    if (!reference) return reference.error();
    return assigned_to(*reference, true);
}

sdk::Result<std::vector<std::string>> PolicySearch::collected(
    sdk::PrincipalDirectory& principals, std::string_view reference,
    const std::optional<sdk::RecordKey>& user) {
    sdk::Context& context = call_.context();
    auto record = context.find_reference(reference);
    // Assignments to what is no record of this platform are found by the reference as it is.
    if (!record) return user ? std::vector<std::string>() : assigned_to(reference, true);
    auto principal = principals.describe(context, *record);
    if (!principal && !sdk::is_missing(principal.error())) return principal.error();
    if (principal && !user) return assigned_to(reference, true);
    auto may = sdk::holds(context, *record, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may) return std::vector<std::string>();
    return assigned_to_principal(user ? *user : context.principal().key);
}

sdk::Result<void> PolicySearch::add_built_in(sdk::PrincipalDirectory& principals,
                                             std::string_view reference,
                                             const std::optional<sdk::RecordKey>& user,
                                             sdk::Json& rows) {
    sdk::Context& context = call_.context();
    auto record = context.find_reference(reference);
    // What such a reference leads to was answered already.
    if (!record) return {};
    auto may = sdk::holds(context, *record, sdk::Permission::read);
    if (!may) return may.error();
    if (!*may) return {};
    // The guest, which anybody may be, is told of its own rights only.
    auto guest = principals.is_guest(context, context.principal());
    if (!guest) return guest.error();
    const sdk::RecordKey& own = context.principal().key;
    const bool is_told = !*guest || !user || *user == own;
    auto policy = root_node_policy(context, *record, user.value_or(own), is_told);
    if (!policy) return policy.error();
    if (!policy->is_null()) rows.push_back(*std::move(policy));
    return {};
}

sdk::Result<sdk::Json> PolicySearch::fields_of(const std::string& id) {
    auto policy = call_.context().documents().read(call_.collection(), id);
    if (policy) return std::move(policy->fields);
    const sdk::Json* built_in = find_entry(system_policies(), id);
    if (built_in && sdk::is_missing(policy.error())) return *built_in;
    return policy.error();
}

namespace {

bool is_in_scope(const sdk::Json& fields, std::string_view scope) {
    const std::string own = sdk::text_member(fields, "scope");
    return scope.empty() || (own.empty() ? "platform" : own) == scope;
}

}  // namespace

sdk::Result<sdk::Json> PolicySearch::readable(const std::vector<std::string>& ids,
                                              std::string_view scope) {
    sdk::Context& context = call_.context();
    sdk::Json rows = sdk::Json::array();
    for (const std::string& id : ids) {
        auto policy = context.documents().read(call_.collection(), id);
        if (!policy && sdk::is_missing(policy.error())) {
            // A system policy is told to everybody.
            const sdk::Json* built_in = find_entry(system_policies(), id);
            if (built_in && is_in_scope(*built_in, scope)) rows.push_back(*built_in);
            continue;
        }
        if (!policy) return policy.error();
        auto is_readable = sdk::holds(context, policy->key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        if (!*is_readable || !is_in_scope(policy->fields, scope)) continue;
        rows.push_back(std::move(policy->fields));
    }
    return rows;
}

}  // namespace stele::access_policies
