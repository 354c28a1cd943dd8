#include "kernel/resource/consistency/team_check.hpp"

#include <functional>
#include <optional>

#include <fmt/format.h>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/consistency/standard_teams.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/record/team_rows.hpp"
#include "kernel/storage/check/store_check.hpp"
#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::resource {

namespace {

/// The record key at the begin of a row's key, and what follows; nothing when there is none.
struct RowKey {
    sdk::RecordKey record;
    std::string_view rest;

    static std::optional<RowKey> split(std::string_view key) {
        sdk::KeyReader reader(key);
        if (!reader.integer() || !reader.integer() || !reader.raw(storage::kSequenceSize))
            return {};
        const std::size_t size = key.size() - reader.rest().size();
        return RowKey{sdk::RecordKey(key.substr(0, size)), key.substr(size)};
    }
};

class TeamCheck {
public:
    TeamCheck(Services& services, const sdk::Reader& reader, const sdk::PlatformScope& platform,
              std::vector<std::string>& differences)
        : services_(services), reader_(reader), platform_(platform), differences_(differences) {}

    void check_teams() {
        each_row(storage::kTeamTag, [this](const RowKey& key) -> sdk::Result<void> {
            const auto name = sdk::KeyReader(key.rest).text();
            if (!name) return differ("the key of a team cannot be read");
            const std::string what = fmt::format("team {} of record {}", *name, id_of(key.record));
            auto exists = has_record(key.record);
            if (!exists) return exists.error();
            if (!*exists) differ(what + ": the record is gone");
            auto team = read_team(reader_, key.record, *name);
            if (!team && !is_broken(team.error())) return team.error();
            if (!team || !*team) return differ(what + ": its row cannot be read");
            return check_group(what, {key.record, *name, (*team)->group});
        });
    }

    void check_groups() {
        each_row(storage::kTeamGroupTag, [this](const RowKey& key) -> sdk::Result<void> {
            const std::string what = "group " + id_of(key.record);
            auto named = team_of_group(reader_, key.record);
            if (!named && !is_broken(named.error())) return named.error();
            if (!named || !*named) return differ(what + ": the row of its team cannot be read");
            auto team = read_team(reader_, (*named)->record, (*named)->key);
            // Told of the team already.
            if (!team && is_broken(team.error())) return {};
            if (!team) return team.error();
            if (!*team) return differ(what + ": its team is gone");
            if ((*team)->group != key.record) return differ(what + ": its team has another group");
            return {};
        });
    }

    void check_owners() {
        // Where nothing keeps groups, nothing keeps teams.
        if (!services_.team_groups) return;
        for (const RegisteredResource& resource : services_.registry.resources()) {
            if (!resource.descriptor.capabilities.teams) continue;
            auto checked = check_owners_of(resource);
            if (!checked) not_checked("the teams of " + resource.collection_path, checked.error());
        }
    }

private:
    static bool is_broken(const sdk::Error& error) { return error.code == "team.row_broken"; }

    static std::string id_of(const sdk::RecordKey& record) {
        return storage::sequence_text(storage::sequence_of(record));
    }

    sdk::Result<void> differ(std::string_view what) {
        differences_.push_back(fmt::format("platform {}: {}", platform_.number, what));
        return {};
    }

    void not_checked(std::string_view what, const sdk::Error& error) {
        differ(storage::not_checked(what, error));
    }

    sdk::Result<bool> has_record(const sdk::RecordKey& key) {
        storage::Record record;
        return services_.documents.read(reader_, key, record);
    }

    sdk::Result<void> check_owners_of(const RegisteredResource& resource) {
        const std::string& type = resource.descriptor.type;
        auto given = has_standard_teams(reader_, platform_.number, type);
        if (!given) return given.error();
        // A store of an older version, which the next start brings up to date.
        if (!*given) return {};
        auto keys = keys_of_family(services_.records, reader_, platform_, resource);
        if (!keys) return keys.error();
        for (const sdk::RecordKey& key : *keys) {
            std::string what = type + " " + id_of(key);
            auto checked = check_owners_of(key, type, what);
            if (!checked) not_checked(what, checked.error());
        }
        return {};
    }

    /// `what` becomes better when the record can be read.
    sdk::Result<void> check_owners_of(const sdk::RecordKey& key, const std::string& type,
                                      std::string& what) {
        auto owners = read_team(reader_, key, kOwnersTeam);
        // Told of the team already.
        if (!owners && is_broken(owners.error())) return {};
        if (!owners) return owners.error();
        if (*owners) return {};
        storage::Record record;
        auto found = services_.documents.read(reader_, key, record);
        if (!found) return found.error();
        if (*found) what = type + " " + resource::id_of(record);
        return differ(what + ": it has no team " + kOwnersTeam);
    }

    sdk::Result<void> check_group(const std::string& what, const sdk::Team& team) {
        auto exists = has_record(team.group);
        if (!exists) return exists.error();
        if (!*exists) differ(what + ": its group is gone");
        auto named = team_of_group(reader_, team.group);
        if (!named && is_broken(named.error())) return {};
        if (!named) return named.error();
        if (!*named || (*named)->record != team.record || (*named)->key != team.key) {
            return differ(what + ": its group does not name it");
        }
        return {};
    }

    void each_row(char tag, const std::function<sdk::Result<void>(const RowKey&)>& visit) {
        const std::string prefix = storage::kind_prefix(platform_.number, tag);
        const auto cursor =
            reader_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            const std::string key(cursor->key().substr(prefix.size()));
            const auto split = RowKey::split(key);
            auto visited = split ? visit(*split) : differ("a row of a team cannot be read");
            if (!visited) not_checked("a team of record " + id_of(split->record), visited.error());
        }
        if (auto status = cursor->status(); !status) not_checked("its teams", status.error());
    }

    Services& services_;
    const sdk::Reader& reader_;
    const sdk::PlatformScope& platform_;
    std::vector<std::string>& differences_;
};

}  // namespace

void check_teams(Services& services, const sdk::Reader& reader, const sdk::PlatformScope& platform,
                 std::vector<std::string>& differences) {
    TeamCheck check(services, reader, platform, differences);
    check.check_teams();
    check.check_groups();
    check.check_owners();
}

}  // namespace stele::kernel::resource
