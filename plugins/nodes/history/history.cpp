#include "history/history.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/record_space.hpp>

#include "branch/changeset_id.hpp"
#include "branch/vocabulary.hpp"

namespace stele::nodes {

namespace {

constexpr char kRecordTag = 'd';

sdk::Json without_server_members(const sdk::Json& record) {
    sdk::Json own = record;
    for (const char* name : {"_doc", member::kSystem, member::kStatistics, member::kPaths})
        own.erase(name);
    return own;
}

}  // namespace

std::string record_key(char slot, std::string_view id) {
    return std::string{slot, kRecordTag} + id_bytes(id);
}

std::string node_record_key(std::string_view id) {
    return record_key(kNodeSlot, id);
}

sdk::Result<std::vector<std::string>> ids_after(const BranchContent& content, char slot,
                                                std::string_view last, std::size_t most) {
    const std::string all{slot, kRecordTag};
    const std::string from = last.empty() ? all : all + id_bytes(last) + '\0';
    std::vector<std::string> ids;
    const auto cursor =
        content.view().scan({from, sdk::prefix_end(all)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid() && ids.size() < most; cursor->next())
        ids.push_back(id_text(cursor->key().substr(all.size())));
    if (auto status = cursor->status(); !status) return status.error();
    return ids;
}

std::string node_of_record_key(std::string_view key) {
    if (key.size() != 2 + kIdBytes || key[0] != kNodeSlot || key[1] != kRecordTag) return {};
    return id_text(key.substr(2));
}

History::History(const BranchContent& content)
    : History(content.context().transaction(), content.services().branches.space(content.place()),
              content.view().view()) {}

History::History(const sdk::Reader& store, VersionSpace space, View view)
    : store_(store), space_(std::move(space)), view_(std::move(view)) {}

sdk::Result<History::Versions> History::walk(std::string_view node, Revision from,
                                             std::size_t most) const {
    const std::string key = node_record_key(node);
    const std::string all = space_.record(key);
    const auto cursor = store_.scan({all, sdk::prefix_end(all)}, sdk::ScanDirection::forward);
    Versions found;
    for (const Link& link : view_.links) {
        const Revision bound = std::min({link.bound, from, view_.newest});
        if (bound < link.loaded) continue;
        cursor->seek(space_.record(key, link.line, bound));
        for (; cursor->is_valid(); cursor->next()) {
            const std::string_view place = cursor->key().substr(all.size());
            if (~read_number(place) != link.line) break;
            if (cursor->value().empty() || cursor->value().front() != kPresent) continue;
            if (found.places.size() == most) {
                found.is_truncated = true;
                return found;
            }
            const Revision revision = ~read_number(place.substr(kNumberBytes));
            found.places.push_back(
                {link.line, revision == kLoadedRevision ? link.loaded : revision});
        }
        if (auto status = cursor->status(); !status) return status.error();
    }
    return found;
}

sdk::Result<History::Versions> History::versions(std::string_view node, std::size_t most) const {
    return walk(node, kUncommitted, most);
}

sdk::Result<std::optional<VersionPlace>> History::newest(std::string_view node) const {
    auto found = walk(node, kUncommitted, 1);
    if (!found) return found.error();
    if (found->places.empty()) return std::optional<VersionPlace>();
    return std::optional<VersionPlace>(found->places.front());
}

sdk::Result<std::optional<VersionPlace>> History::before(std::string_view node,
                                                         const VersionPlace& version) const {
    if (version.revision == 0) return std::optional<VersionPlace>();
    auto found = walk(node, version.revision - 1, 1);
    if (!found) return found.error();
    if (found->places.empty()) return std::optional<VersionPlace>();
    return std::optional<VersionPlace>(found->places.front());
}

sdk::Result<VersionPlace> History::find(std::string_view node, std::string_view changeset) const {
    const auto revision = revision_of(changeset);
    if (revision) {
        auto found = walk(node, *revision, 1);
        if (!found) return found.error();
        if (!found->places.empty() && found->places.front().revision == *revision) {
            auto record = read(node, found->places.front());
            if (!record) return record.error();
            const bool is_it = *record && sdk::text_member((**record)[member::kSystem],
                                                           member::kChangeset) == changeset;
            if (is_it) return found->places.front();
        }
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.version_unknown",
                           fmt::format("node {} has no version of changeset {}", node, changeset));
}

sdk::Result<std::optional<sdk::Json>> History::read(std::string_view node,
                                                    const VersionPlace& version) const {
    auto in_row = row_revision(store_, space_, version.line, version.revision);
    if (!in_row) return in_row.error();
    auto value = store_.get(space_.record(node_record_key(node), version.line, *in_row));
    if (!value) return value.error();
    if (!*value || (*value)->empty() || (*value)->front() != kPresent)
        return std::optional<sdk::Json>();
    auto record = version_record(
        std::string_view(**value).substr(1),
        fmt::format("node {}, line {}, revision {}", node, version.line, version.revision));
    if (!record) return record.error();
    complete_changeset(*record, version.revision);
    return std::optional<sdk::Json>(std::move(*record));
}

sdk::Result<sdk::Json> version_record(std::string_view stored, std::string place) {
    if (const auto read = sdk::StoredRecord::read(stored)) {
        auto record = sdk::parse_json(read->text);
        if (record && record->is_object()) return std::move(*record);
    }
    return sdk::make_error(sdk::ErrorKind::internal, "nodes.version_broken",
                           "a version of the node cannot be read", std::move(place));
}

void complete_changeset(sdk::Json& record, Revision revision) {
    const auto system = record.find(member::kSystem);
    if (system == record.end() || !system->is_object()) return;
    const std::string changeset = sdk::text_member(*system, member::kChangeset);
    if (changeset.empty() || revision_of(changeset)) return;
    (*system)[member::kChangeset] = changeset_id(revision, changeset);
}

sdk::Result<sdk::Json> newest_version(const BranchContent& content, std::string_view node) {
    const History history(content);
    auto place = history.newest(node);
    if (!place) return place.error();
    if (*place) {
        auto record = history.read(node, **place);
        if (!record) return record.error();
        if (*record) return std::move(**record);
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           fmt::format("there is no node {}", node));
}

sdk::Result<sdk::Json> difference(const sdk::Json& before, const sdk::Json& after,
                                  std::size_t& left) {
    return sdk::take_json_difference(without_server_members(before), without_server_members(after),
                                     left);
}

}  // namespace stele::nodes
