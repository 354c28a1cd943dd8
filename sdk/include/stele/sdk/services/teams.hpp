#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// A team of a record: its members are those of its group, its roles what the group was granted on
/// the record (docs/reference/teams.md).
struct Team {
    RecordKey record;
    std::string key;
    RecordKey group;
};

/// Teams for plugins. Published by the kernel; rights are the caller's matter. Any thread.
class Teams {
public:
    virtual ~Teams();

    /// Makes a team without members and roles. `conflict` (`team.key_taken`) when the record has
    /// one with the key.
    virtual Result<Team> create(Context& context, const RecordKey& record, std::string_view key,
                                const Json& fields) = 0;
    /// Nothing when the record has no such team.
    virtual Result<std::optional<Team>> find(Context& context, const RecordKey& record,
                                             std::string_view key) = 0;
    /// The team whose group this is; nothing for other groups.
    virtual Result<std::optional<Team>> team_of(Context& context, const RecordKey& group) = 0;
    /// The team as clients see it.
    virtual Result<Json> describe(Context& context, const Team& team) = 0;
};

}  // namespace stele::sdk
