#pragma once

#include "project_services.hpp"

namespace stele::platform {

/// The team of a project's stack that its users join, and get what policies give to it.
inline constexpr char kUsersTeam[] = "project-users-team";

/// That team of the stack. Where the stack has none it is made, with the system policies of
/// projects; one that is there keeps what it has.
sdk::Result<sdk::Team> users_team(sdk::Context& context, const ProjectServices& services,
                                  const sdk::RecordKey& stack);

/// The teams of a stack that is made for a project, beside `owners`, which every stack has: its
/// users, and those who run it.
sdk::Result<void> make_project_teams(sdk::Context& context, const ProjectServices& services,
                                     const sdk::RecordKey& stack);

}  // namespace stele::platform
