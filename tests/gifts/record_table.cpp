#include "tests/gifts/record_table.hpp"

#include <algorithm>

#include <stele/sdk/members.hpp>

#include "kernel/resource/record/role_rows.hpp"
#include "kernel/resource/record/team_rows.hpp"

namespace stele::kernel::gifts {

RecordTable::RecordTable(const GiftWorld& world, const Person& person) {
    GiftServer& server = GiftServer::instance();
    server.work([&](sdk::Context& context) -> sdk::Result<void> {
        add(world, person, context, server.platform().root, std::nullopt);
        return {};
    });
}

void RecordTable::add(const GiftWorld& world, const Person& person, sdk::Context& context,
                      const sdk::RecordKey& key, const std::optional<sdk::RecordKey>& container) {
    GiftServer& server = GiftServer::instance();
    const sdk::FamilyInfo* const family = value_of(server.families().of(context, key));
    Row& row = rows_[key];
    row.type = family->type;
    row.container = container;
    // The platform is no record of a collection.
    if (container) {
        const sdk::Document record = value_of(context.documents().read(key));
        row.fields = record.fields;
        row.secret = sdk::text_member(record.secrets, "secret");
    }
    // The server's own would take longer than all the rest.
    const bool is_of_world =
        std::find(world.records.begin(), world.records.end(), key) != world.records.end();
    if (is_of_world) add_rights(context, key, *family, row);
    row.permissions = world.permissions(*server.services().engine->snapshot(), person.key(), key);
    if (row.type == "principal" && value_of(server.services().teams.team_of(context, key)))
        groups_of_teams_.insert(key);
    for (const std::string& type : family->contained) {
        std::vector<sdk::RecordKey> keys;
        resource::testing::expect(server.families().for_each(
            context, type, key, [&keys](const sdk::RecordKey& inner) -> sdk::Result<bool> {
                keys.push_back(inner);
                return true;
            }));
        for (const sdk::RecordKey& inner : keys)
            add(world, person, context, inner, key);
    }
}

void RecordTable::add_rights(sdk::Context& context, const sdk::RecordKey& key,
                             const sdk::FamilyInfo& family, Row& row) {
    for (const sdk::AclEntry& entry : value_of(context.authorities().acl(key))) {
        for (const std::string& role : entry.roles)
            row.rights.insert(role + " of " + entry.principal);
    }
    if (family.has_teams) {
        for (const auto& team : value_of(resource::read_teams(context.transaction(), key)))
            row.rights.insert("team " + team.key);
    }
    if (!family.has_roles) return;
    for (const sdk::Json& role : value_of(resource::read_roles(context.transaction(), key))) {
        sdk::PermissionSet& means = row.roles[role.at("roleKey").get<std::string>()];
        for (const sdk::Json& permission : role.at("permissions"))
            means |= {*sdk::find_permission(permission.get<std::string>())};
    }
}

std::vector<std::string> RecordTable::changes(const Row& before, const Row& after) {
    std::vector<std::string> wrong;
    const auto may = [&before](sdk::Permission needed) {
        return before.permissions.contains({needed});
    };
    if (before.fields != after.fields && !may(sdk::Permission::update)) wrong.push_back("changed");
    if (before.secret != after.secret && !may(sdk::Permission::modify_credentials))
        wrong.push_back("given another secret");
    const bool has_other_rights = before.rights != after.rights || before.roles != after.roles;
    if (has_other_rights && !may(sdk::Permission::modify_permissions))
        wrong.push_back("given other rights");
    for (const auto& [key, means] : after.roles) {
        const auto was = before.roles.find(key);
        const bool is_same = was != before.roles.end() && was->second == means;
        if (!is_same && !before.permissions.contains(means))
            wrong.push_back("given the role " + key + ", which is above the importer");
    }
    return wrong;
}

std::vector<sdk::RecordKey> RecordTable::new_principals(const RecordTable& before) const {
    std::vector<sdk::RecordKey> keys;
    for (const auto& [key, row] : rows_) {
        if (row.type == "principal" && !before.rows_.contains(key) &&
            !groups_of_teams_.contains(key))
            keys.push_back(key);
    }
    return keys;
}

std::vector<std::string> RecordTable::mistakes_since(const RecordTable& before,
                                                     const std::set<std::string>& types) const {
    std::vector<std::string> mistakes;
    const auto mistake = [&](const std::string& what, const Row& row) {
        mistakes.push_back("a " + row.type + " was " + what + ": " + sdk::dump_json(row.fields));
    };
    // Whoever makes a user makes a person in the directory of its domain, too.
    std::set<std::string> persons;
    for (const sdk::RecordKey& key : new_principals(before))
        persons.insert(sdk::text_member(rows_.at(key).fields, "identityId"));
    for (const auto& [key, row] : rows_) {
        if (!types.contains(row.type) || groups_of_teams_.contains(key)) continue;
        const auto was = before.rows_.find(key);
        if (was != before.rows_.end()) {
            for (const std::string& wrong : changes(was->second, row))
                mistake(wrong, row);
            continue;
        }
        const auto around = before.rows_.find(*row.container);
        // In what is new itself everything is its maker's.
        if (around == before.rows_.end()) continue;
        if (row.type == "identity" && persons.contains(sdk::text_member(row.fields, "_doc")))
            continue;
        if (!around->second.permissions.contains({sdk::Permission::create_subobjects}))
            mistake("made", row);
    }
    for (const auto& [key, row] : before.rows_) {
        if (types.contains(row.type) && !rows_.contains(key)) mistake("removed", row);
    }
    return mistakes;
}

}  // namespace stele::kernel::gifts
