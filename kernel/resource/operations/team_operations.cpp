#include "kernel/resource/operations/team_operations.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/record_pages.hpp>

#include "kernel/resource/operations/own_roles.hpp"
#include "kernel/resource/operations/principal_forms.hpp"
#include "kernel/resource/operations/role_operations.hpp"
#include "kernel/resource/record/row_query.hpp"

namespace stele::kernel::resource {

namespace {

TeamService& teams_of(const RoutedCall& call) {
    return call.services().teams;
}

sdk::Result<TeamRow> named_team(const RoutedCall& call) {
    const std::string_view key = call.path("teamKey");
    auto team = read_team(call.work().transaction(), call.record_key(), key);
    if (!team) return team.error();
    if (!*team) {
        return sdk::make_error(sdk::ErrorKind::not_found, "team.unknown",
                               "there is no team " + std::string(key));
    }
    return **std::move(team);
}

sdk::Result<std::vector<std::string>> roles_of(const RoutedCall& call, const TeamRow& team) {
    return call.context().authorities().direct_roles(call.record_key(), team.group);
}

/// The team, when the caller may take members from it: it has itself whatever the team has, on the
/// record and on the platform, and what policies take from the members.
sdk::Result<TeamRow> own_team(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team;
    auto roles = roles_of(call, *team);
    if (!roles) return roles.error();
    if (auto own = require_own(call, *roles); !own) return own.error();
    if (auto own = require_own_platform(call, team->group); !own) return own.error();
    if (auto freed = sdk::require_departure(call.context(), team->group); !freed)
        return freed.error();
    return team;
}

sdk::Result<sdk::Reply> page_of(const RoutedCall& call, const std::vector<sdk::Json>& rows) {
    return RowQuery(call.services().has_numeric_sort).page(rows, sdk::Json::object(), call.page());
}

sdk::Reply done(const TeamRow& team) {
    return sdk::Reply::status({{"_doc", team.key}});
}

sdk::Result<sdk::Reply> create_team(const RoutedCall& call) {
    auto key = call.required_parameter("key");
    if (!key) return key.error();
    auto team = teams_of(call).create(call.context(), call.record_key(), *key, call.body());
    if (!team) return team.error();
    auto described = teams_of(call).describe(call.context(), *team);
    if (!described) return described.error();
    return sdk::Reply::status(*described);
}

sdk::Result<sdk::Reply> list_teams(const RoutedCall& call) {
    auto teams = read_teams(call.work().transaction(), call.record_key());
    if (!teams) return teams.error();
    std::vector<sdk::Json> rows;
    for (const TeamRow& team : *teams) {
        auto row = teams_of(call).describe(call.context(), call.record_key(), team);
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
    return page_of(call, rows);
}

sdk::Result<sdk::Reply> read_one_team(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    auto described = teams_of(call).describe(call.context(), call.record_key(), *team);
    if (!described) return described.error();
    return sdk::Reply::json(*described);
}

sdk::Result<sdk::Reply> update_team(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    auto updated = teams_of(call).update(call.context(), call.record_key(), *team, call.body());
    if (!updated) return updated.error();
    return done(*team);
}

sdk::Result<sdk::Reply> remove_team(const RoutedCall& call) {
    auto team = own_team(call);
    if (!team) return team.error();
    const bool is_platform = call.record_key() == call.context().platform().root;
    if (team->key == kOwnersTeam && !is_platform) {
        return sdk::make_error(sdk::ErrorKind::conflict, "team.owners_required",
                               "the team owners cannot be removed");
    }
    auto removed = keep_an_owner(call, team->group, [&] {
        return teams_of(call).remove(call.context(), call.record_key(), *team);
    });
    if (!removed) return removed.error();
    return done(*team);
}

sdk::Result<sdk::Reply> page_of_members(const RoutedCall& call, const TeamRow& team,
                                        sdk::MemberKind kind, bool is_indirect) {
    auto keys = call.context().authorities().members(team.group, kind, is_indirect);
    if (!keys) return keys.error();
    RowQuery rows(call.services().has_numeric_sort);
    return sdk::page_of_readable(call, rows, *keys);
}

sdk::Result<sdk::Reply> list_members(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    auto kind = sdk::member_filter(call);
    if (!kind) return kind.error();
    auto indirect = call.flag("indirect");
    if (!indirect) return indirect.error();
    return page_of_members(call, *team, *kind, indirect->value_or(false));
}

sdk::Result<sdk::Reply> add_member(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    auto member = principal_parameter(call);
    if (!member) return member.error();
    auto covered = sdk::require_membership(call.context(), team->group);
    if (!covered) return covered.error();
    auto added = call.context().authorities().add_member(team->group, member->key, member->kind);
    if (!added) return added.error();
    return page_of_members(call, *team, sdk::MemberKind::any, false);
}

sdk::Result<sdk::Reply> remove_member(const RoutedCall& call) {
    auto team = own_team(call);
    if (!team) return team.error();
    auto member = principal_parameter(call);
    if (!member) return member.error();
    auto removed = keep_an_owner(call, team->group, [&] {
        return call.context().authorities().remove_member(team->group, member->key);
    });
    if (!removed) return removed.error();
    return done(*team);
}

sdk::Result<sdk::Reply> check_member(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    auto member = principal_parameter(call);
    if (!member) return member.error();
    auto belongs = call.context().authorities().is_member(team->group, member->key, true);
    if (!belongs) return belongs.error();
    return sdk::Reply::status({{"belongs", *belongs}});
}

sdk::Result<sdk::Reply> list_authorities(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    auto roles = roles_of(call, *team);
    if (!roles) return roles.error();
    return sdk::Reply::json({{"authorities", *roles}});
}

sdk::Result<sdk::Reply> grant_role(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    const auto role = addressed_role(call);
    if (!role) return role.error();
    auto covered = sdk::require_grant(call.context(), call.record_key(), *role, true);
    if (!covered) return covered.error();
    // Deep: what a team holds counts inside the record too.
    auto granted = call.context().authorities().grant(call.record_key(), team->group, *role, true);
    if (!granted) return granted.error();
    return done(*team);
}

sdk::Result<sdk::Reply> revoke_role(const RoutedCall& call) {
    auto team = named_team(call);
    if (!team) return team.error();
    auto addressed = addressed_role(call);
    if (!addressed) return addressed.error();
    const std::string role = sdk::lower_case(*addressed);
    std::vector<std::string> roles{role};
    if (role == "all") {
        auto held = roles_of(call, *team);
        if (!held) return held.error();
        roles = std::move(*held);
    }
    if (auto own = require_own(call, roles); !own) return own.error();
    auto revoked = keep_an_owner(call, team->group, [&] {
        return call.context().authorities().revoke(call.record_key(), team->group, role);
    });
    if (!revoked) return revoked.error();
    return done(*team);
}

}  // namespace

namespace {

/// A principal: its record, of whose family the kernel knows no more.
sdk::Shape member() {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"_doc", text()},
                               optional("name", text()),
                               optional("type", text({"USER", "GROUP"})),
                               optional("domainId", text()),
                               optional("domainQualifiedId", text()),
                               optional("domainQualifiedName", text())});
}

sdk::Shape team_body() {
    using sdk::shape::null_or;
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({optional("key", text()), optional("title", null_or(text())),
                               optional("description", null_or(text()))});
}

}  // namespace

KernelActions team_actions() {
    const sdk::Permission read = sdk::Permission::read;
    const sdk::Permission manage = sdk::Permission::modify_permissions;
    const sdk::Shape team = sdk::shape::record("Team");
    const sdk::Shape changed = sdk::shape::changed();
    const sdk::Shape members = sdk::shape::page(member());
    const sdk::Shape checked = sdk::shape::status({{"belongs", sdk::shape::boolean()}});
    const sdk::Shape roles =
        sdk::shape::object({{"authorities", sdk::shape::array(sdk::shape::text())}});
    const std::vector<sdk::Parameter> id{{"id", true}};
    const std::vector<sdk::Parameter> which{
        {"filter", false, sdk::FieldKind::text, {"any", "user", "group"}},
        {"indirect", false, sdk::FieldKind::boolean}};
    const std::string one = "teams/{teamKey}";
    const KernelAction removal{.name = one,
                               .method = "DELETE",
                               .permission = manage,
                               .run = &remove_team,
                               .answers = changed,
                               .is_urgent = true};
    const KernelAction creation{.name = "teams",
                                .method = "POST",
                                .permission = manage,
                                .run = &create_team,
                                .answers = sdk::shape::written("Team"),
                                .parameters = {{"key", true}},
                                .takes = team_body()};
    const KernelAction update{.name = one,
                              .method = "PUT",
                              .permission = manage,
                              .run = &update_team,
                              .answers = changed,
                              .takes = team_body()};
    return {creation,
            {"teams", "GET", read, &list_teams, sdk::shape::page(team), {}, true},
            {one, "GET", read, &read_one_team, sdk::shape::record("WholeTeam")},
            update,
            by_post(update, "/update"),
            removal,
            by_post(removal, "/delete"),
            {one + "/members", "GET", read, &list_members, members, which, true},
            // What a group has may be much to look at.
            {one + "/members/add", "POST", manage, &add_member, members, id, true, true},
            {.name = one + "/members/remove",
             .method = "POST",
             .permission = manage,
             .run = &remove_member,
             .answers = changed,
             .parameters = id,
             .is_urgent = true},
            {one + "/members/check", "POST", read, &check_member, checked, id},
            {one + "/authorities", "GET", read, &list_authorities, roles},
            {one + "/authorities/{authorityId}/grant", "POST", manage, &grant_role, changed},
            {.name = one + "/authorities/{authorityId}/revoke",
             .method = "POST",
             .permission = manage,
             .run = &revoke_role,
             .answers = changed,
             .is_urgent = true}};
}

}  // namespace stele::kernel::resource
