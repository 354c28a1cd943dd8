#include "transfer/record_parts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/error.hpp>

namespace stele::archives {

sdk::Json said_of_role(sdk::Json role) {
    for (const char* of_server : {"_doc", "_system", "ok"})
        role.erase(of_server);
    return role;
}

sdk::Json said_of_team(sdk::Json team) {
    for (const char* of_server : {"_doc", "_system", "ok", "key", "teamId", "groupId",
                                  "groupDomainId", "teamableObjectTypeId", "teamableObjectId"})
        team.erase(of_server);
    for (const char* of_operations : {"roleKeys", "members", "policies"})
        team.erase(of_operations);
    return team;
}

sdk::Json said_of_record(sdk::Json fields, const sdk::FamilyInfo& family) {
    for (const char* of_server : {"_system", "_doc", "_ref", "ok", "platformId"})
        fields.erase(of_server);
    for (const std::vector<std::string>* unmoved : {&family.secret_fields, &family.unmoved_members})
        for (const std::string& name : *unmoved)
            fields.erase(name);
    if (!family.container.empty()) fields.erase(family.container + "Id");
    return fields;
}

sdk::Result<void> check_parts(const TransferRecord& record) {
    const auto has_others = [](const sdk::Json& list) {
        return std::any_of(list.begin(), list.end(),
                           [](const sdk::Json& one) { return !one.is_object(); });
    };
    for (const auto& [name, list] :
         {std::pair("roles.json", &record.roles), std::pair("teams.json", &record.teams)}) {
        if (!has_others(*list)) continue;
        return sdk::make_error(sdk::ErrorKind::invalid, "archives.record_malformed",
                               std::string(name) + " must be an array of objects");
    }
    return {};
}

bool has_assignments(const TransferRecord& record) {
    return !record.targets.empty() || !record.policies.empty() ||
           std::any_of(record.teams.begin(), record.teams.end(),
                       [](const sdk::Json& team) { return team.contains("policies"); });
}

sdk::Json brought_up_to_date(const sdk::Json& present, const sdk::Json& brought) {
    sdk::Json after = present;
    for (const auto& [name, value] : brought.items())
        after[name] = value;
    return after;
}

sdk::Result<bool> are_same_bytes(const sdk::PieceSource& one, const sdk::PieceSource& other) {
    std::string ones;
    std::string others;
    std::size_t ones_at = 0;
    std::size_t others_at = 0;
    while (true) {
        if (ones_at == ones.size()) {
            if (auto read = one(ones); !read) return read.error();
            ones_at = 0;
        }
        if (others_at == others.size()) {
            if (auto read = other(others); !read) return read.error();
            others_at = 0;
        }
        // An empty piece is the end.
        if (ones.empty() || others.empty()) return ones.empty() && others.empty();
        const std::size_t size = std::min(ones.size() - ones_at, others.size() - others_at);
        if (ones.compare(ones_at, size, others, others_at, size) != 0) return false;
        ones_at += size;
        others_at += size;
    }
}

}  // namespace stele::archives
