#include "history/changesets.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/record_space.hpp>
#include <stele/sdk/time.hpp>

#include "branch/pace.hpp"
#include "branch/vocabulary.hpp"
#include "history/history.hpp"
#include "version/counts.hpp"

namespace stele::nodes {

namespace {

sdk::Error unknown_changeset(std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.changeset_unknown",
                           fmt::format("there is no changeset {}", id));
}

std::string with_revision(std::string rows, Revision revision) {
    append_number(rows, revision);
    return rows;
}

sdk::Json system_of_note(const ChangesetNote& note) {
    sdk::Json system = sdk::Json::object();
    for (const char* part : {"created", "modified"}) {
        const std::string name(part);
        system[name + "_on"] = sdk::time_value(note.made_ms);
        system[name + "_by"] = note.user_name;
        system[name + "_by_principal_id"] = note.user_id;
        system[name + "_by_principal_domain_id"] = note.user_domain_id;
    }
    return system;
}

}  // namespace

Changesets::Changesets(sdk::Context& context, BranchPlace place, VersionSpace space)
    : context_(context), place_(place), space_(std::move(space)) {}

sdk::Result<Changesets> Changesets::open(Services& services, sdk::Context& context,
                                         const sdk::Document& repository) {
    auto place = services.branches.find_repository(context.transaction(), repository.key);
    if (!place) return place.error();
    Changesets opened(context, *place, services.branches.space(*place));
    opened.repository_id_ = repository.id;
    auto newest = context.transaction().get(opened.space_.revision_counter());
    if (!newest) return newest.error();
    opened.newest_ = static_cast<Revision>(sdk::read_counter(*newest));
    if (auto read = opened.read_lines(services); !read) return read.error();
    return opened;
}

sdk::Result<void> Changesets::read_lines(Services& services) {
    std::vector<std::pair<Line, sdk::RecordKey>> rows;
    auto walked = services.branches.for_each_line(context_.transaction(), place_,
                                                  [&](Line line, const sdk::RecordKey& branch) {
                                                      rows.emplace_back(line, branch);
                                                      return true;
                                                  });
    if (!walked) return walked;
    for (const auto& [line, branch] : rows) {
        if (auto read = read_line(line, branch); !read) return read;
    }
    return show_inherited();
}

sdk::Result<void> Changesets::read_line(Line line, const sdk::RecordKey& branch) {
    ShownLine& row = lines_[line];
    row.branch_id = sdk::space_record_id(branch);
    auto record = context_.documents().read(branch);
    if (!record && !sdk::is_missing(record.error())) return record.error();
    row.is_gone = !record;
    bool is_readable = false;
    if (record) {
        row.branch_id = record->id;
        auto may = sdk::holds(context_, branch, sdk::Permission::read);
        if (!may) return may.error();
        is_readable = *may;
    }
    if (is_readable) {
        row.bound = kUncommitted;
        row.shown_by = branch;
    }
    shows_everything_ = shows_everything_ && is_readable;
    return {};
}

sdk::Result<void> Changesets::show_inherited() {
    const bool has_gone = std::any_of(lines_.begin(), lines_.end(),
                                      [](const auto& line) { return line.second.is_gone; });
    if (!has_gone) return {};
    for (const auto& [number, line] : lines_) {
        if (line.is_gone || line.bound == 0) continue;
        auto view = find_view(context_.transaction(), space_, number);
        if (!view) return view.error();
        for (const Link& link : view->inherited().links) {
            const auto from = lines_.find(link.line);
            if (from == lines_.end() || !from->second.is_gone || from->second.bound >= link.bound)
                continue;
            from->second.bound = link.bound;
            from->second.shown_by = line.shown_by;
        }
    }
    return {};
}

bool Changesets::shows(Line line, Revision revision) const {
    const auto found = lines_.find(line);
    return found != lines_.end() && revision <= found->second.bound;
}

std::optional<sdk::RecordKey> Changesets::branch_showing(Line line) const {
    const auto found = lines_.find(line);
    if (found == lines_.end() || found->second.shown_by.empty()) return std::nullopt;
    return found->second.shown_by;
}

sdk::Result<void> Changesets::for_each(Revision first,
                                       const std::function<bool(Line, Revision)>& visit) const {
    const std::string begin = space_.line_of(first);
    const std::string rows = begin.substr(0, begin.size() - kNumberBytes);
    const auto cursor =
        context_.transaction().scan({begin, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    Pace pace(context_);
    for (; cursor->is_valid(); cursor->next()) {
        if (auto may = pace.step(); !may) return may;
        const Revision revision = read_number(cursor->key().substr(rows.size()));
        if (revision > newest_) break;
        const Line line = read_number(cursor->value());
        if (shows(line, revision) && !visit(line, revision)) break;
    }
    return cursor->status();
}

sdk::Result<Changeset> Changesets::read(Line line, Revision revision) const {
    auto row = context_.transaction().get(with_revision(space_.changes(line), revision));
    if (!row) return row.error();
    if (!*row) return unknown_changeset(std::to_string(revision));
    auto changes = ChangeRecord::decode(**row);
    if (!changes) return changes.error();
    auto note = ChangesetNote::decode(changes->note);
    if (!note) return note.error();
    return Changeset{revision, line, std::move(*note)};
}

sdk::Result<Changeset> Changesets::find(std::string_view id) const {
    const auto revision = revision_of(id);
    if (!revision) return unknown_changeset(id);
    auto row = context_.transaction().get(space_.line_of(*revision));
    if (!row) return row.error();
    if (!*row || !shows(read_number(**row), *revision)) return unknown_changeset(id);
    auto found = read(read_number(**row), *revision);
    if (found && found->id() != id) return unknown_changeset(id);
    return found;
}

sdk::Result<sdk::Json> Changesets::record(const Changeset& changeset) const {
    if (auto may = context_.go_on(); !may) return may.error();
    auto before = parents(changeset);
    if (!before) return before.error();
    sdk::Json ids = sdk::Json::array();
    for (const Changeset& parent : *before)
        ids.push_back(parent.id());
    const auto line = lines_.find(changeset.line);
    return sdk::Json{{"_doc", changeset.id()},
                     {"revision", revision_number(changeset.revision)},
                     {"branch", line == lines_.end() ? std::string() : line->second.branch_id},
                     {"active", true},
                     {"parents", std::move(ids)},
                     {"summary", changeset.note.summary},
                     {"tags", sdk::Json::array()},
                     {"platformId", context_.platform().id},
                     {kRepositoryId, repository_id_},
                     {member::kSystem, system_of_note(changeset.note)}};
}

sdk::Result<std::optional<Changeset>> Changesets::former(const Changeset& changeset) const {
    if (changeset.revision == 0) return std::optional<Changeset>();
    auto view = find_view(context_.transaction(), space_, changeset.line, changeset.revision - 1);
    if (!view) return view.error();
    for (const Link& link : view->links) {
        const std::string rows = space_.changes(link.line);
        const auto cursor = context_.transaction().scan({rows, with_revision(rows, link.bound + 1)},
                                                        sdk::ScanDirection::backward);
        if (auto status = cursor->status(); !status) return status.error();
        if (!cursor->is_valid()) continue;
        auto found = read(link.line, read_number(cursor->key().substr(rows.size())));
        if (!found) return found.error();
        return std::optional<Changeset>(std::move(*found));
    }
    return std::optional<Changeset>();
}

sdk::Result<std::vector<Changeset>> Changesets::parents(const Changeset& changeset) const {
    std::vector<Changeset> found;
    auto before = former(changeset);
    if (!before) return before.error();
    if (*before) found.push_back(std::move(**before));
    if (changeset.note.merged == 0) return found;
    auto row = context_.transaction().get(space_.line_of(changeset.note.merged));
    if (!row) return row.error();
    if (!*row) return found;
    auto merged = read(read_number(**row), changeset.note.merged);
    if (!merged) return merged.error();
    found.push_back(std::move(*merged));
    return found;
}

sdk::Result<void> Changesets::add_first_children(const Changeset& changeset,
                                                 std::vector<Changeset>& found) const {
    for (const auto& [line, row] : lines_) {
        const std::string rows = space_.changes(line);
        const bool is_own = line == changeset.line;
        const auto cursor = context_.transaction().scan(
            {with_revision(rows, is_own ? changeset.revision + 1 : 0), sdk::prefix_end(rows)},
            sdk::ScanDirection::forward);
        if (auto status = cursor->status(); !status) return status;
        if (!cursor->is_valid()) continue;
        const Revision revision = read_number(cursor->key().substr(rows.size()));
        if (revision <= changeset.revision || !shows(line, revision)) continue;
        auto first = read(line, revision);
        if (!first) return first.error();
        auto before = former(*first);
        if (!before) return before.error();
        if (*before && (*before)->revision == changeset.revision)
            found.push_back(std::move(*first));
    }
    return {};
}

sdk::Result<Changesets::Children> Changesets::children(const Changeset& changeset,
                                                       std::size_t most_searched) const {
    Children children;
    if (auto added = add_first_children(changeset, children.found); !added) return added.error();
    std::size_t searched = 0;
    sdk::Result<void> status;
    auto walked = for_each(changeset.revision + 1, [&](Line line, Revision revision) {
        children.is_truncated = ++searched > most_searched;
        if (children.is_truncated) return false;
        auto later = read(line, revision);
        if (!later) {
            status = later.error();
            return false;
        }
        if (later->note.merged == changeset.revision) children.found.push_back(std::move(*later));
        return true;
    });
    if (!walked) return walked.error();
    if (!status) return status.error();
    std::sort(
        children.found.begin(), children.found.end(),
        [](const Changeset& one, const Changeset& other) { return one.revision < other.revision; });
    return children;
}

sdk::Result<std::vector<std::string>> Changesets::nodes_of(const Changeset& changeset,
                                                           std::size_t most) const {
    std::vector<std::string> found;
    auto in_row = row_revision(context_.transaction(), space_, changeset.line, changeset.revision);
    if (!in_row) return in_row.error();
    const std::string rows = with_revision(space_.written(changeset.line), *in_row);
    const auto cursor =
        context_.transaction().scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    Pace pace(context_);
    for (; cursor->is_valid() && found.size() < most; cursor->next()) {
        if (auto may = pace.step(); !may) return may.error();
        std::string node = node_of_record_key(cursor->key().substr(rows.size()));
        if (!node.empty() && cursor->value() == std::string_view(&kPresent, 1))
            found.push_back(std::move(node));
    }
    if (auto status = cursor->status(); !status) return status.error();
    return found;
}

sdk::Result<Changesets> changesets_around(const BranchContent& content) {
    sdk::Context& context = content.context();
    auto branch = context.documents().read(content.branch());
    if (!branch) return branch.error();
    auto repository = context.documents().read({kRepositoryType, ""},
                                               sdk::text_member(branch->fields, kRepositoryId));
    if (!repository) return repository.error();
    return Changesets::open(content.services(), context, *repository);
}

}  // namespace stele::nodes
