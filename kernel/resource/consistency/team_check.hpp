#pragma once

#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::resource {

struct Services;

/// Compares the teams of a platform with the records that they belong to, and with their groups,
/// and looks for the team `owners` of every record that must have one. One line per difference, and
/// per team or record that cannot be read.
void check_teams(Services& services, const sdk::Reader& reader, const sdk::PlatformScope& platform,
                 std::vector<std::string>& differences);

}  // namespace stele::kernel::resource
