#include <algorithm>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/members.hpp>

#include "group_keeper.hpp"
#include "platform_owners.hpp"
#include "principal.hpp"
#include "principal_lookup.hpp"
#include "row_access.hpp"
#include "session_rows.hpp"

namespace stele::identity {

namespace {

constexpr std::size_t kMostChecks = 1000;

/// Of the principals of the keys, those that the caller may read.
sdk::Result<std::vector<sdk::RecordKey>> readable(sdk::Context& context,
                                                  std::vector<sdk::RecordKey> keys) {
    std::vector<sdk::RecordKey> visible;
    for (sdk::RecordKey& key : keys) {
        auto is_readable = sdk::holds(context, key, sdk::Permission::read);
        if (!is_readable) return is_readable.error();
        if (*is_readable) visible.push_back(std::move(key));
    }
    return visible;
}

const sdk::Json* find_path(const sdk::Json& record, std::string_view path) {
    const sdk::Json* value = &record;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        if (!value->is_object()) return nullptr;
        const auto member = value->find(path.substr(0, dot));
        if (member == value->end()) return nullptr;
        value = &*member;
        path.remove_prefix(std::min(dot + 1, path.size()));
    }
    return value;
}

std::string sort_text(const sdk::Json& record, std::string_view path) {
    const sdk::Json* value = find_path(record, path);
    if (!value || value->is_null()) return {};
    return value->is_string() ? value->get<std::string>() : sdk::dump_json(*value);
}

/// Rows by code points of their values' texts (design.md 9); ties keep the order of joining.
void sort_rows(sdk::Json& rows, const std::vector<sdk::SortKey>& sort) {
    std::stable_sort(rows.begin(), rows.end(), [&](const sdk::Json& a, const sdk::Json& b) {
        for (const sdk::SortKey& key : sort) {
            const int order = sort_text(a, key.field).compare(sort_text(b, key.field));
            if (order != 0) return key.ascending == (order < 0);
        }
        return false;
    });
}

/// A page of principals' records. Without a sort only the rows of the page are read.
sdk::Result<sdk::Reply> page_of_principals(const sdk::Call& call,
                                           std::vector<sdk::RecordKey> keys) {
    auto visible = readable(call.context(), std::move(keys));
    if (!visible) return visible.error();
    const sdk::PageRequest& page = call.page();
    const bool is_sorted = !page.sort.empty();
    const std::uint64_t total = visible->size();
    const std::uint64_t begin = is_sorted ? 0 : std::min<std::uint64_t>(page.skip, total);
    const std::uint64_t wanted =
        is_sorted || page.limit < 0 ? total : static_cast<std::uint64_t>(page.limit);
    const std::uint64_t end = begin + std::min(wanted, total - begin);
    sdk::Json rows = sdk::Json::array();
    for (std::uint64_t i = begin; i < end; ++i) {
        auto record = call.context().documents().read((*visible)[i]);
        if (!record) return record.error();
        rows.push_back(std::move(record->fields));
    }
    if (!is_sorted) return sdk::Reply::page(rows, total, page.skip);
    sort_rows(rows, page.sort);
    return sdk::Reply::page_of(rows, page);
}

sdk::Result<void> require_group(const sdk::Document& record) {
    if (principal_of(record).kind == sdk::PrincipalKind::group) return {};
    return sdk::make_error(sdk::ErrorKind::invalid, "principal.not_a_group",
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

/// One entry of a membership check; unknown principals are members of nothing.
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
    const std::string filter = sdk::lower_case(call.parameter("filter").value_or(""));
    sdk::MemberKind kind = sdk::MemberKind::any;
    if (filter == "user") kind = sdk::MemberKind::user;
    if (filter == "group") kind = sdk::MemberKind::group;
    if (!filter.empty() && filter != "any" && kind == sdk::MemberKind::any) {
        return sdk::invalid_parameter("filter", "must be user or group");
    }
    auto keys = call.context().authorities().members(call.record().key, kind, *indirect);
    if (!keys) return keys.error();
    return page_of_principals(call, *std::move(keys));
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
    auto added =
        call.context().authorities().add_member(call.record().key, member->key, member->kind);
    if (!added) return added.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> PrincipalFamily::remove_member(const sdk::Call& call) {
    if (auto checked = require_changeable(call); !checked) return checked.error();
    auto member = named_member(call);
    if (!member) return member.error();
    auto removed = call.context().authorities().remove_member(call.record().key, member->key);
    if (!removed) return removed.error();
    if (auto owned = require_an_owner(call.context()); !owned) return owned.error();
    return sdk::Reply::status({{"_doc", call.record().id}});
}

sdk::Result<sdk::Reply> PrincipalFamily::memberships(const sdk::Call& call) {
    auto indirect = is_indirect(call);
    if (!indirect) return indirect.error();
    auto keys = call.context().authorities().memberships(call.record().key, *indirect);
    if (!keys) return keys.error();
    auto others = without_teams(call.context(), *std::move(keys));
    if (!others) return others.error();
    return page_of_principals(call, *std::move(others));
}

/// Of the teams that the principal is in, those of records that the caller may read; its own all.
sdk::Result<sdk::Reply> PrincipalFamily::teams(const sdk::Call& call) {
    sdk::Context& context = call.context();
    const std::string type = call.parameter("teamableType").value_or("");
    const std::string id = call.parameter("teamableId").value_or("");
    auto keys = context.authorities().memberships(call.record().key, true);
    if (!keys) return keys.error();
    sdk::Json rows = sdk::Json::array();
    for (const sdk::RecordKey& key : *keys) {
        auto team = teams_.team_of(context, key);
        if (!team) return team.error();
        if (!*team) continue;
        auto shown = readable(context, {(*team)->record});
        if (!shown) return shown.error();
        if (shown->empty() && call.record().key != context.principal().key) continue;
        auto described = teams_.describe(context, **team);
        if (!described) return described.error();
        if (!type.empty() && sdk::text_member(*described, "teamableObjectTypeId") != type) continue;
        if (!id.empty() && sdk::text_member(*described, "teamableObjectId") != id) continue;
        rows.push_back(std::move(*described));
    }
    sort_rows(rows, call.page().sort);
    return sdk::Reply::page_of(rows, call.page());
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
    if (checks->size() > kMostChecks) {
        return sdk::invalid_parameter("checks",
                                      "holds more than " + std::to_string(kMostChecks) + " checks");
    }
    sdk::Json results = sdk::Json::array();
    for (const sdk::Json& check : *checks) {
        if (!check.is_object()) return sdk::invalid_parameter("checks", "must hold objects");
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
        auto visible = readable(context, {key});
        if (!visible) return visible.error();
        const std::string id = group->id;
        groups[id] = group_summary(*std::move(group), !visible->empty());
    }
    record["_groups"] = std::move(groups);
    return {};
}

}  // namespace stele::identity
