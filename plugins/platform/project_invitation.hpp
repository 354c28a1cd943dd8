#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "project_services.hpp"

namespace stele::platform {

/// Adds the user that `id` or `email` names to a team of the project's stack, and tells the user.
sdk::Result<sdk::Reply> invite_to_project(const sdk::Call& call, const ProjectServices& services);

}  // namespace stele::platform
