#pragma once

#include <stele/sdk/services/team_groups.hpp>
#include <stele/sdk/services/teams.hpp>

namespace stele::identity {

/// Groups of teams, in the primary domain. Nobody but the members may see them there without
/// rights on the domain.
class GroupKeeper final : public sdk::TeamGroups {
public:
    sdk::Result<sdk::Principal> create(sdk::Context& context, std::string_view name) override;
    sdk::Result<void> remove(sdk::Context& context, const sdk::RecordKey& group) override;
};

/// `conflict` (`identity.principal_team_group`) when the principal is the group of a team, and the
/// caller not the server: whoever may change a group could otherwise give itself what the team has.
sdk::Result<void> check_no_team(sdk::Teams& teams, sdk::Context& context,
                                const sdk::RecordKey& principal);

}  // namespace stele::identity
