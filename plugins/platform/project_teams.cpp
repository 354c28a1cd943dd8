#include "project_teams.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/services/system_policies.hpp>

namespace stele::platform {

sdk::Result<sdk::Team> users_team(sdk::Context& context, const ProjectServices& services,
                                  const sdk::RecordKey& stack) {
    auto present = services.teams.find(context, stack, kUsersTeam);
    if (!present) return present.error();
    if (*present) return **std::move(present);
    auto team = services.teams.create(context, stack, kUsersTeam, {{"title", "Project users"}});
    auto* const policies = services.registrar.find<sdk::SystemPolicies>();
    if (!team || !policies) return team;
    // Nobody is in the team yet: what this gives is measured when somebody joins.
    for (const char* key : {"project-user", "project-collaborator"}) {
        auto assigned = policies->assign(context, key, team->group);
        if (!assigned) return assigned.error();
    }
    return team;
}

sdk::Result<void> make_project_teams(sdk::Context& context, const ProjectServices& services,
                                     const sdk::RecordKey& stack) {
    auto users = users_team(context, services, stack);
    if (!users) return users.error();
    auto managers = services.teams.create(context, stack, "project-managers-team",
                                          {{"title", "Project managers"}});
    if (!managers) return managers.error();
    return context.authorities().grant(stack, managers->group, "manager", true);
}

}  // namespace stele::platform
