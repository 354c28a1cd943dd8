#include "attachment/content_log.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "attachment/attached_text.hpp"
#include "history/history.hpp"
#include "version/layered_cursor.hpp"

namespace stele::nodes {

namespace {

BranchPlace place_of(const sdk::ContentSpace& space) {
    return {space.platform, space.repository, kFirstLine};
}

/// Goes from changeset to changeset through what they wrote of nodes. Nearly always the next one is
/// of the same line and lies where the former one ends, so a cursor is kept.
class ChangesetWalk {
public:
    using Visit = std::function<bool(const sdk::ContentVersion&)>;

    ChangesetWalk(const sdk::Reader& reader, const VersionSpace& space)
        : reader_(reader), space_(space) {}

    /// The nodes of one changeset, by their keys; false when `visit` said so.
    sdk::Result<bool> visit_changeset(Line line, Revision revision, const Visit& visit) {
        auto in_row = row_revision(reader_, space_, line, revision);
        if (!in_row) return in_row.error();
        in_row_ = *in_row;
        std::string list = space_.written(line);
        append_number(list, in_row_);
        move_to(line, list);
        for (; cursor_->is_valid() && cursor_->key().starts_with(list); cursor_->next()) {
            const std::string_view key = cursor_->key().substr(list.size());
            sdk::ContentVersion version;
            version.line = line;
            version.revision = revision;
            version.node = node_of_record_key(key);
            if (version.node.empty()) continue;
            version.is_removed = cursor_->value() == std::string_view(&kRemoved, 1);
            if (auto read = read_version(key, version); !read) return read.error();
            if (!visit(version)) return false;
        }
        if (auto status = cursor_->status(); !status) return status.error();
        return true;
    }

private:
    void move_to(Line line, const std::string& list) {
        if (!cursor_ || line != line_) {
            line_ = line;
            cursor_ = reader_.scan({list, sdk::prefix_end(space_.written(line))},
                                   sdk::ScanDirection::forward);
        } else if (cursor_->is_valid() && cursor_->key() < list) {
            cursor_->seek(list);
        }
    }

    /// Its text, and what was before it.
    sdk::Result<void> read_version(std::string_view key, sdk::ContentVersion& version) {
        const std::string row = space_.record(key, version.line, in_row_);
        if (!versions_) {
            const std::string all = space_.record({});
            versions_ = reader_.scan({all, sdk::prefix_end(all)}, sdk::ScanDirection::forward);
        }
        versions_->seek(row);
        if (auto status = versions_->status(); !status) return status;
        const bool is_there = versions_->is_valid() && versions_->key() == row;
        const auto record = is_there && !version.is_removed
                                ? sdk::StoredRecord::read(versions_->value().substr(1))
                                : std::nullopt;
        if (!is_there || record.has_value() == version.is_removed) {
            return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_version_broken",
                                   "a version of a node cannot be read", version.node);
        }
        if (record) version.text = record->text;
        return find_former(row, version);
    }

    /// The next row of the node on the line is that of the version before.
    sdk::Result<void> find_former(std::string_view row, sdk::ContentVersion& version) {
        versions_->next();
        if (auto status = versions_->status(); !status) return status;
        const std::size_t of_line = row.size() - kNumberBytes;
        const bool is_former = versions_->is_valid() && versions_->key().size() == row.size() &&
                               versions_->key().starts_with(row.substr(0, of_line)) &&
                               versions_->value().starts_with(kPresent);
        if (!is_former) return {};
        const Revision in_row = ~read_number(versions_->key().substr(of_line));
        if (in_row != kLoadedRevision) {
            version.former = in_row;
            return {};
        }
        auto loaded = loaded_revision(reader_, space_, version.line);
        if (!loaded) return loaded.error();
        version.former = *loaded;
        return {};
    }

    const sdk::Reader& reader_;
    const VersionSpace& space_;
    Line line_ = 0;
    /// Of the changeset that is visited.
    Revision in_row_ = 0;
    std::unique_ptr<sdk::Cursor> cursor_;
    /// Over the versions of all records.
    std::unique_ptr<sdk::Cursor> versions_;
};

}  // namespace

sdk::Result<std::vector<sdk::ContentSpace>> ContentLog::spaces(const sdk::Reader& reader) {
    return branches_.spaces(reader);
}

sdk::Result<std::uint64_t> ContentLog::newest(const sdk::Reader& reader,
                                              const sdk::ContentSpace& space) {
    auto counter = reader.get(branches_.space(place_of(space)).revision_counter());
    if (!counter) return counter.error();
    return static_cast<std::uint64_t>(sdk::read_counter(*counter));
}

sdk::Result<void> ContentLog::for_each_after(
    const sdk::Reader& reader, const sdk::ContentSpace& space, std::uint64_t revision,
    const std::function<bool(const sdk::ContentVersion&)>& visit) {
    const VersionSpace own = branches_.space(place_of(space));
    const std::string first = own.line_of(revision + 1);
    const std::string prefix = first.substr(0, first.size() - kNumberBytes);
    const auto cursor = reader.scan({first, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    ChangesetWalk walk(reader, own);
    for (; cursor->is_valid(); cursor->next()) {
        const Revision at = read_number(cursor->key().substr(prefix.size()));
        auto visited = walk.visit_changeset(read_number(cursor->value()), at, visit);
        if (!visited) return visited.error();
        if (!*visited) return {};
    }
    return cursor->status();
}

sdk::Result<sdk::ContentView> ContentLog::view(const sdk::Reader& reader,
                                               const sdk::RecordKey& branch) {
    auto place = branches_.find(reader, branch);
    if (!place) return place.error();
    auto shown = branches_.view(reader, *place);
    if (!shown) return shown.error();
    sdk::ContentView view;
    view.space = {place->platform, place->repository};
    for (const Link& link : shown->links) {
        view.links.push_back(
            {link.line, link.is_tip() ? shown->newest : link.bound, link.loaded != 0});
    }
    return view;
}

sdk::Result<std::optional<sdk::ContentVersion>> ContentLog::shown(const sdk::Reader& reader,
                                                                  const sdk::ContentView& view,
                                                                  std::string_view node) {
    const VersionSpace own = branches_.space(place_of(view.space));
    View links;
    for (const sdk::ContentView::Link& link : view.links) {
        auto loaded = loaded_revision(reader, own, link.line);
        if (!loaded) return loaded.error();
        links.links.push_back({link.line, link.last_revision, *loaded});
    }
    const ViewReader shows(reader, own, std::move(links));
    std::string stored;
    auto found = shows.find_version(node_record_key(node), stored);
    if (!found) return found.error();
    if (!*found) return std::optional<sdk::ContentVersion>();
    const auto record = sdk::StoredRecord::read(stored);
    if (!record) return std::optional<sdk::ContentVersion>();
    sdk::ContentVersion version;
    version.line = (*found)->line;
    version.revision = (*found)->revision;
    version.node = node;
    version.text = record->text;
    return std::optional<sdk::ContentVersion>(std::move(version));
}

sdk::Result<std::optional<std::vector<std::string>>> ContentLog::written_on(
    const sdk::Reader& reader, const sdk::ContentSpace& space, const sdk::ContentView::Link& link,
    std::size_t most) {
    const std::string list = branches_.space(place_of(space)).written(link.line);
    std::vector<std::string> nodes;
    const auto cursor = reader.scan({list, sdk::prefix_end(list)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const std::string_view written = cursor->key().substr(list.size());
        if (read_number(written) > link.last_revision) break;
        std::string node = node_of_record_key(written.substr(kNumberBytes));
        if (node.empty()) continue;
        if (nodes.size() == most) return std::optional<std::vector<std::string>>();
        nodes.push_back(std::move(node));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return std::optional(std::move(nodes));
}

sdk::Result<std::string> ContentLog::attached_text(const sdk::Reader& reader,
                                                   const sdk::ContentSpace& space,
                                                   const sdk::ContentVersion& version,
                                                   std::size_t limit) {
    return nodes::attached_text(services_, reader, space, version, limit);
}

std::string ContentLog::watched_prefix(std::uint64_t platform) {
    return sdk::plugin_key_space(platform, kContentSpace);
}

}  // namespace stele::nodes
