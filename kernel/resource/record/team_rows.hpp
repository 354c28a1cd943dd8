#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/services/teams.hpp>

namespace stele::kernel::resource {

/// A team as it is stored: `fields` is what clients see of it, its roles left out.
struct TeamRow {
    std::string key;
    sdk::RecordKey group;
    sdk::Json fields;
};

/// Reads and writes teams beside the record that they belong to; the layout is told in
/// kernel/storage/engine/keys.hpp.

sdk::Result<std::optional<TeamRow>> read_team(const sdk::Reader& reader,
                                              const sdk::RecordKey& record, std::string_view key);
/// In order of creation.
sdk::Result<std::vector<TeamRow>> read_teams(const sdk::Reader& reader,
                                             const sdk::RecordKey& record);
/// Nothing for a group that stands behind no team.
sdk::Result<std::optional<sdk::Team>> team_of_group(const sdk::Reader& reader,
                                                    const sdk::RecordKey& group);

void write_team(sdk::Transaction& transaction, const sdk::RecordKey& record, const TeamRow& team);
void erase_team(sdk::Transaction& transaction, const sdk::RecordKey& record, const TeamRow& team);

}  // namespace stele::kernel::resource
