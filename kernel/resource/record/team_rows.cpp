#include "kernel/resource/record/team_rows.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::resource {

namespace {

sdk::KeyWriter under(char tag, const sdk::RecordKey& first) {
    const std::uint64_t platform = sdk::KeyReader(first).integer().value_or(0);
    sdk::KeyWriter writer(storage::kind_prefix(platform, tag));
    writer.raw(first);
    return writer;
}

std::string team_key(const sdk::RecordKey& record, std::string_view key) {
    return under(storage::kTeamTag, record).text(key).key();
}

std::string group_key(const sdk::RecordKey& group) {
    return under(storage::kTeamGroupTag, group).key();
}

sdk::Error broken_team() {
    return sdk::make_error(sdk::ErrorKind::internal, "team.row_broken",
                           "a stored team cannot be read");
}

sdk::Result<TeamRow> decode(std::string key, std::string_view bytes) {
    sdk::KeyReader reader(bytes);
    auto group = reader.text();
    if (!group) return broken_team();
    auto fields = sdk::parse_json(reader.rest(), {.depth = 200});
    if (!fields) return broken_team();
    return TeamRow{std::move(key), *std::move(group), *std::move(fields)};
}

}  // namespace

sdk::Result<std::optional<TeamRow>> read_team(const sdk::Reader& reader,
                                              const sdk::RecordKey& record, std::string_view key) {
    auto bytes = reader.get(team_key(record, key));
    if (!bytes) return bytes.error();
    if (!*bytes) return std::optional<TeamRow>();
    auto team = decode(std::string(key), **bytes);
    if (!team) return team.error();
    return std::optional<TeamRow>(*std::move(team));
}

sdk::Result<std::vector<TeamRow>> read_teams(const sdk::Reader& reader,
                                             const sdk::RecordKey& record) {
    const std::string prefix = under(storage::kTeamTag, record).key();
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::vector<TeamRow> teams;
    for (; cursor->is_valid(); cursor->next()) {
        auto key = sdk::KeyReader(cursor->key().substr(prefix.size())).text();
        if (!key) return broken_team();
        auto team = decode(*std::move(key), cursor->value());
        if (!team) return team.error();
        teams.push_back(*std::move(team));
    }
    if (auto status = cursor->status(); !status) return status.error();
    // Their groups lie in one collection, whose keys grow.
    std::sort(teams.begin(), teams.end(),
              [](const TeamRow& a, const TeamRow& b) { return a.group < b.group; });
    return teams;
}

sdk::Result<std::optional<sdk::Team>> team_of_group(const sdk::Reader& reader,
                                                    const sdk::RecordKey& group) {
    auto bytes = reader.get(group_key(group));
    if (!bytes) return bytes.error();
    if (!*bytes) return std::optional<sdk::Team>();
    sdk::KeyReader place(**bytes);
    auto record = place.text();
    auto key = place.text();
    if (!record || !key) return broken_team();
    return std::optional<sdk::Team>({*std::move(record), *std::move(key), group});
}

void write_team(sdk::Transaction& transaction, const sdk::RecordKey& record, const TeamRow& team) {
    transaction.put(team_key(record, team.key),
                    sdk::KeyWriter().text(team.group).raw(sdk::dump_json(team.fields)).key());
    transaction.put(group_key(team.group), sdk::KeyWriter().text(record).text(team.key).key());
}

void erase_team(sdk::Transaction& transaction, const sdk::RecordKey& record, const TeamRow& team) {
    transaction.remove(team_key(record, team.key));
    transaction.remove(group_key(team.group));
}

}  // namespace stele::kernel::resource
