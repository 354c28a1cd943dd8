#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/services/invitations.hpp>
#include <stele/sdk/services/principal_directory.hpp>
#include <stele/sdk/services/teams.hpp>

namespace stele::platform {

/// The team of a project's stack that its users join.
inline constexpr char kUsersTeam[] = "project-users-team";

/// What an invitation to a project takes; must outlive whoever keeps it.
struct ProjectServices {
    sdk::Teams& teams;
    sdk::PrincipalDirectory& principals;
    sdk::Invitations& invitations;
};

/// Adds the user that `id` or `email` names to a team of the project's stack, and tells the user.
sdk::Result<sdk::Reply> invite_to_project(const sdk::Call& call, const ProjectServices& services);

}  // namespace stele::platform
