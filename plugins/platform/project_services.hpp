#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/invitations.hpp>
#include <stele/sdk/services/principal_directory.hpp>
#include <stele/sdk/services/teams.hpp>

namespace stele::platform {

class UpkeepJobs;

/// What projects take from others; must outlive whoever keeps it.
struct ProjectServices {
    sdk::Teams& teams;
    sdk::PrincipalDirectory& principals;
    sdk::Invitations& invitations;
    /// Policies may come from a plugin that is opened later, or be missing.
    sdk::Registrar& registrar;
    const UpkeepJobs& upkeep;
};

}  // namespace stele::platform
