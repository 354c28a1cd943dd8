#include "kernel/resource/team_check.hpp"

#include <functional>
#include <optional>

#include <fmt/format.h>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/resource/team_rows.hpp"
#include "kernel/storage/keys.hpp"

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
    TeamCheck(storage::DocumentStore& documents, const sdk::Reader& reader, std::uint64_t platform,
              std::vector<std::string>& differences)
        : documents_(documents), reader_(reader), platform_(platform), differences_(differences) {}

    sdk::Result<void> check_teams() {
        return each_row(storage::kTeamTag, [this](const RowKey& key) -> sdk::Result<void> {
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

    sdk::Result<void> check_groups() {
        return each_row(storage::kTeamGroupTag, [this](const RowKey& key) -> sdk::Result<void> {
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

private:
    static bool is_broken(const sdk::Error& error) { return error.code == "team.row_broken"; }

    static std::string id_of(const sdk::RecordKey& record) {
        return storage::sequence_text(storage::sequence_of(record));
    }

    sdk::Result<void> differ(std::string_view what) {
        differences_.push_back(fmt::format("platform {}: {}", platform_, what));
        return {};
    }

    sdk::Result<bool> has_record(const sdk::RecordKey& key) {
        storage::Record record;
        return documents_.read(reader_, key, record);
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

    sdk::Result<void> each_row(char tag,
                               const std::function<sdk::Result<void>(const RowKey&)>& visit) {
        const std::string prefix = storage::kind_prefix(platform_, tag);
        const auto cursor =
            reader_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            const std::string key(cursor->key().substr(prefix.size()));
            const auto split = RowKey::split(key);
            auto visited = split ? visit(*split) : differ("a row of a team cannot be read");
            if (!visited) return visited;
        }
        return cursor->status();
    }

    storage::DocumentStore& documents_;
    const sdk::Reader& reader_;
    const std::uint64_t platform_;
    std::vector<std::string>& differences_;
};

}  // namespace

sdk::Result<void> check_teams(storage::DocumentStore& documents, const sdk::Reader& reader,
                              std::uint64_t platform, std::vector<std::string>& differences) {
    TeamCheck check(documents, reader, platform, differences);
    if (auto checked = check.check_teams(); !checked) return checked;
    return check.check_groups();
}

}  // namespace stele::kernel::resource
