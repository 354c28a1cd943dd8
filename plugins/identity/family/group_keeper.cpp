#include "group_keeper.hpp"

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "rights/principal_lookup.hpp"
#include "rights/principal_names.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

/// A name that nobody in the domain has, nor is addressed by.
sdk::Result<std::string> free_name(sdk::Context& context, const sdk::CollectionName& principals,
                                   const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2;; ++number) {
        auto taken = context.documents().read(principals, name);
        if (!taken && !is_missing(taken.error())) return taken.error();
        auto alike = has_lookalike(context, principals.container, name);
        if (!alike) return alike.error();
        if (!taken && !*alike) return name;
        name = wanted + " (" + std::to_string(number) + ")";
    }
}

}  // namespace

sdk::Result<sdk::Principal> GroupKeeper::create(sdk::Context& context, std::string_view name) {
    auto domain = context.documents().read({kDomainType, ""}, kPrimary);
    if (!domain && is_missing(domain.error())) {
        return sdk::make_error(sdk::ErrorKind::not_found, "team.domain_missing",
                               "the platform has no primary domain for the groups of teams");
    }
    if (!domain) return domain.error();
    const sdk::CollectionName principals{kPrincipalType, domain->id};
    auto free = free_name(context, principals, std::string(name));
    if (!free) return free.error();
    auto group =
        context.documents().create_hidden(principals, {{"type", "GROUP"}, {"name", *free}});
    if (!group) return group.error();
    // Its members see it.
    auto shown = context.authorities().grant(group->key, group->key, "consumer");
    if (!shown) return shown.error();
    return principal_of(*group);
}

sdk::Result<void> GroupKeeper::remove(sdk::Context& context, const sdk::RecordKey& group) {
    auto record = context.documents().read(group);
    if (!record && is_missing(record.error())) return {};
    if (!record) return record.error();
    return context.documents().remove(
        {kPrincipalType, sdk::text_member(record->fields, "domainId")}, record->id);
}

sdk::Result<void> check_no_team(sdk::Teams& teams, sdk::Context& context,
                                const sdk::RecordKey& principal) {
    if (context.session().is_system) return {};
    auto team = teams.team_of(context, principal);
    if (!team) return team.error();
    if (!*team) return {};
    return sdk::make_error(
        sdk::ErrorKind::conflict, "identity.principal_team_group",
        "the group belongs to the team " + (*team)->key + " and is changed through it");
}

}  // namespace stele::identity
