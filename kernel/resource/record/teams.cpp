#include "kernel/resource/record/teams.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/gifts.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/record/path_key.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

namespace {

constexpr char kKeeper[] = "team groups";

/// What clients send of a team; the rest is the server's.
const sdk::ResourceDescriptor& team_descriptor() {
    using enum sdk::FieldKind;
    static const sdk::ResourceDescriptor kDescriptor = [] {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "team";
        descriptor.fields = {{.name = "title", .kind = text},
                             {.name = "description", .kind = text}};
        for (const char* name : {"key", "teamId", "groupId", "groupDomainId", "roleKeys",
                                 "teamableObjectTypeId", "teamableObjectId"}) {
            descriptor.fields.push_back({.name = name, .read_only = true});
        }
        return descriptor;
    }();
    return kDescriptor;
}

sdk::Error no_groups() {
    return sdk::make_error(sdk::ErrorKind::unavailable, "team.groups_missing",
                           "no enabled plugin keeps groups for teams");
}

}  // namespace

sdk::Result<TeamService::Teamable> TeamService::teamable(sdk::Context& context,
                                                         const sdk::RecordKey& record) {
    if (record == context.platform().root) return Teamable{kPlatformType, context.platform().id};
    auto resource = services_.records.resource_of(context.transaction(), record);
    if (!resource) return resource.error();
    storage::Record stored;
    auto found = services_.records.read(context.transaction(), record, stored);
    if (!found) return found.error();
    return Teamable{*resource ? (*resource)->descriptor.type : std::string(), id_of(stored)};
}

sdk::Result<sdk::Team> TeamService::create(sdk::Context& context, const sdk::RecordKey& record,
                                           std::string_view key, const sdk::Json& fields) {
    if (auto checked = check_path_key(key, "key", "team.key_malformed"); !checked)
        return checked.error();
    if (!services_.team_groups) return no_groups();
    auto decoded = decode_create(team_descriptor(), fields);
    if (!decoded) return decoded.error();
    auto taken = read_team(context.transaction(), record, key);
    if (!taken) return taken.error();
    if (*taken) {
        return sdk::make_error(sdk::ErrorKind::conflict, "team.key_taken",
                               "there is a team " + std::string(key) + " already");
    }
    auto place = teamable(context, record);
    if (!place) return place.error();
    const std::string name = std::string(key) + " of " + place->type + " " + place->id;
    // As the server: whoever may manage a record's teams need not manage a domain.
    auto group = plugin::guarded<sdk::Principal>(kKeeper, "create", [&] {
        return services_.team_groups->create(context.as_system(), name);
    });
    if (!group) return group.error();
    TeamRow team{std::string(key), group->key, sdk::Json::object()};
    team.fields = {{"_doc", key},
                   {"key", key},
                   {"teamId", key},
                   {"groupId", group->id},
                   {"groupDomainId", group->domain_id},
                   {"teamableObjectTypeId", place->type},
                   {"teamableObjectId", place->id}};
    for (auto& [member, value] : decoded->fields.items())
        append_member(team.fields, member, std::move(value));
    team.fields["_system"] = system_member(context.session(), nullptr, sdk::now_ms());
    write_team(context.transaction(), record, team);
    return sdk::Team{record, team.key, team.group};
}

sdk::Result<std::optional<sdk::Team>> TeamService::find(sdk::Context& context,
                                                        const sdk::RecordKey& record,
                                                        std::string_view key) {
    auto team = read_team(context.transaction(), record, key);
    if (!team) return team.error();
    if (!*team) return std::optional<sdk::Team>();
    return std::optional<sdk::Team>({record, (*team)->key, (*team)->group});
}

sdk::Result<std::optional<sdk::Team>> TeamService::team_of(sdk::Context& context,
                                                           const sdk::RecordKey& group) {
    return team_of_group(context.transaction(), group);
}

sdk::Result<sdk::Json> TeamService::describe(sdk::Context& context, const sdk::Team& team) {
    auto row = read_team(context.transaction(), team.record, team.key);
    if (!row) return row.error();
    if (!*row) return unknown_record("team", team.key);
    return describe(context, team.record, **row);
}

sdk::Result<sdk::Json> TeamService::describe(sdk::Context& context, const sdk::RecordKey& record,
                                             const TeamRow& team) {
    auto roles = context.authorities().direct_roles(record, team.group);
    if (!roles) return roles.error();
    sdk::Json described = team.fields;
    described["roleKeys"] = *roles;
    return described;
}

sdk::Result<void> TeamService::update(sdk::Context& context, const sdk::RecordKey& record,
                                      TeamRow team, const sdk::Json& fields) {
    const std::string key = sdk::text_member(fields, "key");
    if (!key.empty() && key != team.key) return sdk::invalid_parameter("key", "cannot be changed");
    sdk::Document before;
    before.fields = team.fields;
    auto decoded = decode_update(team_descriptor(), fields, before);
    if (!decoded) return decoded.error();
    const sdk::Json system =
        system_member(context.session(), &team.fields["_system"], sdk::now_ms());
    team.fields = {{"_doc", team.key}};
    for (auto& [member, value] : decoded->fields.items())
        append_member(team.fields, member, std::move(value));
    team.fields["_system"] = system;
    write_team(context.transaction(), record, team);
    return {};
}

sdk::Result<void> TeamService::remove(sdk::Context& context, const sdk::RecordKey& record,
                                      const TeamRow& team) {
    erase_team(context.transaction(), record, team);
    if (!services_.team_groups) return context.authorities().forget_principal(team.group);
    return plugin::guarded<void>(kKeeper, "remove", [&] {
        return services_.team_groups->remove(context.as_system(), team.group);
    });
}

sdk::Result<void> TeamService::create_owners(sdk::Context& context, const sdk::RecordKey& record,
                                             const std::vector<sdk::Principal>& members) {
    auto known = read_team(context.transaction(), record, kOwnersTeam);
    if (!known) return known.error();
    if (*known || !services_.team_groups) return {};
    auto team = create(context, record, kOwnersTeam, {{"title", "Owners"}});
    // The first domain of a platform comes before there is a place for groups.
    if (!team && team.error().code == "team.domain_missing") return {};
    if (!team) return team.error();
    auto granted = context.authorities().grant(record, team->group, "owner", true);
    if (!granted) return granted;
    for (const sdk::Principal& member : members) {
        auto joined = context.authorities().add_member(team->group, member.key, member.kind);
        if (!joined) return joined;
    }
    return {};
}

sdk::Result<void> TeamService::forget(sdk::Context& context, const sdk::RecordKey& record) {
    auto teams = read_teams(context.transaction(), record);
    if (!teams) return teams.error();
    // Before any of them goes: whoever removes the record may hold something by them.
    for (const TeamRow& team : *teams) {
        if (auto freed = sdk::require_departure(context, team.group); !freed) return freed;
    }
    for (const TeamRow& team : *teams) {
        if (auto removed = remove(context, record, team); !removed) return removed;
    }
    return {};
}

}  // namespace stele::kernel::resource
