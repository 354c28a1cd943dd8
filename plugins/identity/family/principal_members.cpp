#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/record_pages.hpp>

#include "group_keeper.hpp"
#include "platform_owners.hpp"
#include "principal.hpp"
#include "rights/principal_lookup.hpp"
#include "token/row_access.hpp"
#include "token/session_keys.hpp"
#include "token/session_rows.hpp"

namespace stele::identity {

namespace {

sdk::Result<void> require_group(const sdk::Document& record) {
    if (principal_of(record).kind == sdk::PrincipalKind::group) return {};
    return sdk::make_error(sdk::ErrorKind::invalid, "identity.principal_not_a_group",
                           sdk::text_member(record.fields, "name") + " is a user, not a group");
}

sdk::Result<bool> is_indirect(const sdk::Call& call) {
    auto flag = call.flag("indirect");
    if (!flag) return flag.error();
    return flag->value_or(false);
}

/// The member that `id` names; unqualified forms are looked for in the group's domain first.
sdk::Result<sdk::Principal> named_member(const sdk::Call& call) {
    auto form = call.required_parameter("id");
    if (!form) return form.error();
    auto record = find_principal_record(call.context(), *form, call.collection().container);
    if (!record) return record.error();
    return principal_of(*record);
}

/// Whether the caller may know of a principal: the guest of itself only, as anybody may be the
/// guest.
sdk::Result<bool> may_know_of(sdk::Context& context, const sdk::RecordKey& principal) {
    if (principal == context.principal().key) return true;
    auto guest = is_guest(context, context.principal());
    if (!guest || *guest) return guest ? sdk::Result<bool>(false) : guest;
    return sdk::holds(context, principal, sdk::Permission::connect);
}

/// One entry of a membership check; principals that the caller knows nothing of are members of
/// nothing. In which groups they are themselves everybody may ask.
sdk::Result<bool> is_member(const sdk::Call& call, const sdk::Json& check) {
    const std::string& domain = call.collection().container;
    auto group = find_principal_record(call.context(), sdk::text_member(check, "groupId"), domain);
    auto member =
        find_principal_record(call.context(), sdk::text_member(check, "principalId"), domain);
    for (const auto* found : {&group, &member}) {
        if (*found) continue;
        if (is_missing(found->error())) return false;
        return found->error();
    }
    auto known = may_know_of(call.context(), member->key);
    if (known && *known && member->key != call.context().principal().key)
        known = may_know_of(call.context(), group->key);
    if (!known || !*known) return known;
    return call.context().authorities().is_member(group->key, member->key,
                                                  sdk::flag_member(check, "indirect", false));
}

/// What a record says about a group beside it; ids take the place of names that the caller may not
/// read.
sdk::Json group_summary(sdk::Principal group, bool is_readable) {
    if (!is_readable) group.name = group.id;
    return {{"_doc", group.id},
            {"name", group.name},
            {"type", "GROUP"},
            {"domainId", group.domain_id},
            {"domainQualifiedId", group.qualified_id()},
            {"domainQualifiedName", group.qualified_name()}};
}

}  // namespace

sdk::Result<sdk::Reply> PrincipalFamily::members(const sdk::Call& call) {
    if (auto checked = require_group(call.record()); !checked) return checked.error();
    auto indirect = is_indirect(call);
    if (!indirect) return indirect.error();
    auto kind = sdk::member_filter(call);
    if (!kind) return kind.error();
    auto keys = call.context().authorities().members(call.record().key, *kind, *indirect);
    if (!keys) return keys.error();
    return sdk::page_of_readable(call, rows_, *keys);
}

/// Members of a team come and go through the team.
sdk::Result<void> PrincipalFamily::require_changeable(const sdk::Call& call) {
    if (auto checked = require_group(call.record()); !checked) return checked;
    return check_no_team(teams_, call.context(), call.record().key);
}

/// The groups that stand behind teams left out: nobody made them, or looks for them here.
sdk::Result<std::vector<sdk::RecordKey>> PrincipalFamily::without_teams(
    sdk::Context& context, std::vector<sdk::RecordKey> groups) {
    std::vector<sdk::RecordKey> others;
    for (sdk::RecordKey& group : groups) {
        auto team = teams_.team_of(context, group);
        if (!team) return team.error();
        if (!*team) others.push_back(std::move(group));
    }
    return others;
}

sdk::Result<sdk::Reply> PrincipalFamily::add_member(const sdk::Call& call) {
    if (auto checked = require_changeable(call); !checked) return checked.error();
    auto member = named_member(call);
    if (!member) return member.error();
    auto covered = sdk::require_membership(call.context(), call.record().key);
    if (!covered) return covered.error();
    auto added =
        call.context().authorities().add_member(call.record().key, member->key, member->kind);
    if (!added) return added.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> PrincipalFamily::remove_member(const sdk::Call& call) {
    if (auto checked = require_changeable(call); !checked) return checked.error();
    auto member = named_member(call);
    if (!member) return member.error();
    auto freed = sdk::require_departure(call.context(), call.record().key);
    if (!freed) return freed.error();
    auto removed = leave_group(call.context(), call.record().key, member->key);
    if (!removed) return removed.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> PrincipalFamily::memberships(const sdk::Call& call) {
    auto indirect = is_indirect(call);
    if (!indirect) return indirect.error();
    auto keys = call.context().authorities().memberships(call.record().key, *indirect);
    if (!keys) return keys.error();
    auto others = without_teams(call.context(), *std::move(keys));
    if (!others) return others.error();
    return sdk::page_of_readable(call, rows_, *others);
}

/// Of the teams that the principal is in, those of records that the caller may read; its own all.
sdk::Result<sdk::Reply> PrincipalFamily::teams(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const std::string type = call.parameter("teamableType").value_or("");
    const std::string id = call.parameter("teamableId").value_or("");
    auto keys = context.authorities().memberships(call.record().key, true);
    if (!keys) return keys.error();
    std::vector<sdk::Json> rows;
    for (const sdk::RecordKey& key : *keys) {
        auto team = teams_.team_of(context, key);
        if (!team) return team.error();
        if (!*team) continue;
        auto is_shown = sdk::holds(context, (*team)->record, sdk::Permission::read);
        if (!is_shown) return is_shown.error();
        if (!*is_shown && call.record().key != context.principal().key) continue;
        auto described = teams_.describe(context, **team);
        if (!described) return described.error();
        if (!type.empty() && sdk::text_member(*described, "teamableObjectTypeId") != type) continue;
        if (!id.empty() && sdk::text_member(*described, "teamableObjectId") != id) continue;
        rows.push_back(std::move(*described));
    }
    return rows_.page(rows, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> PrincipalFamily::identity(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<PrincipalRow>(context.transaction(), keys.principal(call.record().key));
    if (!row) return row.error();
    const sdk::RecordKey key = *row ? (*row)->identity : sdk::RecordKey();
    bool may_read = !key.empty();
    if (may_read) {
        auto is_readable = sdk::holds(context, key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        may_read = *is_readable;
    }
    if (!may_read) {
        return sdk::make_error(sdk::ErrorKind::not_found, "identity.unknown",
                               "this principal has no identity that the caller may read");
    }
    auto identity = context.documents().read(key);
    if (!identity) return identity.error();
    return sdk::Reply::json(identity->fields);
}

sdk::Result<sdk::Reply> PrincipalFamily::check_memberships(const sdk::Call& call) {
    const auto checks = call.body().find("checks");
    if (checks == call.body().end() || !checks->is_array()) {
        return sdk::invalid_parameter("checks", "must be an array");
    }
    auto whole = sdk::require_texts(*checks, "checks", {"groupId", "principalId"});
    if (!whole) return whole.error();
    sdk::Json results = sdk::Json::array();
    for (const sdk::Json& check : *checks) {
        auto belongs = is_member(call, check);
        if (!belongs) return belongs.error();
        sdk::Json result = check;
        result["result"] = *belongs;
        results.push_back(std::move(result));
    }
    return sdk::Reply::status({{"checks", results}, {"results", results}});
}

sdk::Result<void> PrincipalFamily::present(const sdk::Call& call, sdk::Json& record) {
    const std::string wanted = call.parameter("groups").value_or("");
    if (wanted != "direct" && wanted != "indirect") return {};
    sdk::Context& context = call.context();
    auto principal = context.documents().read(
        {kPrincipalType, sdk::text_member(record, "domainId")}, sdk::text_member(record, "_doc"));
    if (!principal) return principal.error();
    auto all = context.authorities().memberships(principal->key, wanted == "indirect");
    if (!all) return all.error();
    auto keys = without_teams(context, *std::move(all));
    if (!keys) return keys.error();
    sdk::Json groups = sdk::Json::object();
    PrincipalLookup lookup;
    for (const sdk::RecordKey& key : *keys) {
        auto group = lookup.describe(context, key);
        if (!group) return group.error();
        auto is_readable = sdk::holds(context, key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        const std::string id = group->id;
        groups[id] = group_summary(*std::move(group), *is_readable);
    }
    record["_groups"] = std::move(groups);
    return {};
}

}  // namespace stele::identity
