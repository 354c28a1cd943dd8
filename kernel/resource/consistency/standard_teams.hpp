#pragma once

#include <cstdint>
#include <string>

#include <stele/sdk/context.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::resource {

struct Services;

/// Gives the team `owners` to every record that should have it and has not: what was made before
/// its family had teams, or before there was a place for groups. Its members are those who own the
/// record directly. Remembers per platform and type that it is done. Once plugins are installed.
sdk::Result<void> give_standard_teams(Services& services);
/// The same for a platform that is being made, as a part of its transaction.
sdk::Result<void> give_standard_teams(Services& services, sdk::Context& context);
/// Whether that was done for a family: every record of it has the team from then on.
sdk::Result<bool> has_standard_teams(const sdk::Reader& reader, std::uint64_t platform,
                                     const std::string& type);

}  // namespace stele::kernel::resource
