#pragma once

#include <vector>

#include <stele/sdk/services/teams.hpp>

#include "kernel/resource/record/team_rows.hpp"

namespace stele::kernel::resource {

struct Services;

/// The team that every record with teams has from the beginning, and keeps.
inline constexpr char kOwnersTeam[] = "owners";

/// Teams of records: each owns a group, which carries its members and what the team was granted
/// (docs/decisions/0020-teams-own-groups.md). Any thread.
class TeamService final : public sdk::Teams {
public:
    explicit TeamService(Services& services) : services_(services) {}

    sdk::Result<sdk::Team> create(sdk::Context& context, const sdk::RecordKey& record,
                                  std::string_view key, const sdk::Json& fields) override;
    sdk::Result<std::optional<sdk::Team>> find(sdk::Context& context, const sdk::RecordKey& record,
                                               std::string_view key) override;
    sdk::Result<std::optional<sdk::Team>> team_of(sdk::Context& context,
                                                  const sdk::RecordKey& group) override;
    sdk::Result<sdk::Json> describe(sdk::Context& context, const sdk::Team& team) override;

    /// As clients see it.
    sdk::Result<sdk::Json> describe(sdk::Context& context, const sdk::RecordKey& record,
                                    const TeamRow& team);
    /// Replaces the members that clients choose.
    sdk::Result<void> update(sdk::Context& context, const sdk::RecordKey& record, TeamRow team,
                             const sdk::Json& fields);
    /// With its group, and thereby with all that the group was granted.
    sdk::Result<void> remove(sdk::Context& context, const sdk::RecordKey& record,
                             const TeamRow& team);

    /// The team `owners` of a new record, with these members. Nothing happens while no groups can
    /// be made.
    sdk::Result<void> create_owners(sdk::Context& context, const sdk::RecordKey& record,
                                    const std::vector<sdk::Principal>& members);
    /// The teams of a record that goes: their members leave, so that what policies take from them
    /// comes back. `forbidden` (`authority.group_above_own`) as when a team is removed by itself.
    sdk::Result<void> forget(sdk::Context& context, const sdk::RecordKey& record);

private:
    struct Teamable {
        std::string type;
        std::string id;
    };
    sdk::Result<Teamable> teamable(sdk::Context& context, const sdk::RecordKey& record);

    Services& services_;
};

}  // namespace stele::kernel::resource
