#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/gifts/gift_world.hpp"

namespace stele::kernel::gifts {

/// Every record of the platform at one moment: what it says, where it lies, and what somebody may
/// do with it.
class RecordTable {
public:
    RecordTable(const GiftWorld& world, const Person& person);

    struct Row {
        std::string type;
        std::optional<sdk::RecordKey> container;
        sdk::Json fields;
        sdk::PermissionSet permissions;
        /// What opens it.
        std::string secret = {};
        /// Of a record of the world: grants on it and its teams, each as a text.
        std::set<std::string> rights = {};
        /// What the roles mean that it defines.
        std::map<std::string, sdk::PermissionSet> roles = {};
    };
    /// Users and groups that are here and were not there before, but for the groups of teams.
    std::vector<sdk::RecordKey> new_principals(const RecordTable& before) const;
    /// A line for each record of these types that is new in a container, or changed, or gone, or
    /// has other rights, roles or secrets, which the person could not do by the rights of before.
    std::vector<std::string> mistakes_since(const RecordTable& before,
                                            const std::set<std::string>& types) const;
    const std::map<sdk::RecordKey, Row>& rows() const { return rows_; }

private:
    void add(const GiftWorld& world, const Person& person, sdk::Context& context,
             const sdk::RecordKey& key, const std::optional<sdk::RecordKey>& container);
    static void add_rights(sdk::Context& context, const sdk::RecordKey& key,
                           const sdk::FamilyInfo& family, Row& row);
    static std::vector<std::string> changes(const Row& before, const Row& after);

    std::map<sdk::RecordKey, Row> rows_;
    std::set<sdk::RecordKey> groups_of_teams_;
};

}  // namespace stele::kernel::gifts
