#include "branch/branch_store.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "branch/vocabulary.hpp"
#include "version/counts.hpp"

namespace stele::nodes {

namespace {

sdk::Error unknown_branch() {
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_unknown",
                           "there is no such branch");
}

sdk::Error unknown_changeset() {
    return sdk::make_error(sdk::ErrorKind::not_found, "nodes.changeset_unknown",
                           "there is no such changeset");
}

std::string branch_row(const sdk::RecordKey& branch) {
    return sdk::plugin_key_space(platform_of(branch), kBranchSpace) + branch;
}

std::string repository_row(const sdk::RecordKey& repository) {
    return sdk::plugin_key_space(platform_of(repository), kRepositorySpace) + 'r' + repository;
}

std::string last_repository_row(std::uint64_t platform) {
    return sdk::plugin_key_space(platform, kRepositorySpace) + 'n';
}

std::string last_line_row(const BranchPlace& place) {
    return sdk::KeyWriter(sdk::plugin_key_space(place.platform, kRepositorySpace) + 'l')
        .integer(place.repository)
        .key();
}

/// Reads a number, adds one and writes it back.
sdk::Result<std::uint64_t> next_number(sdk::Transaction& transaction, const std::string& row) {
    auto last = transaction.get(row);
    if (!last) return last.error();
    const std::uint64_t next = *last ? read_number(**last) + 1 : 1;
    std::string bytes;
    append_number(bytes, next);
    transaction.put(row, bytes);
    return next;
}

/// Whether a number is higher in a transaction than it was committed.
sdk::Result<bool> has_higher(const sdk::Transaction& transaction, const sdk::Reader& committed,
                             const std::string& row) {
    auto own = transaction.peek(row);
    if (!own) return own.error();
    auto others = committed.get(row);
    if (!others) return others.error();
    const auto number = [](const std::optional<std::string>& bytes) {
        return bytes ? read_number(*bytes) : 0;
    };
    return number(*own) > number(*others);
}

}  // namespace

void put_place(sdk::Transaction& transaction, const sdk::RecordKey& branch,
               const BranchPlace& place) {
    std::string row;
    append_number(row, place.repository);
    append_number(row, place.line);
    row.push_back(place.is_social ? 1 : 0);
    transaction.put(branch_row(branch), row);
    std::string line = line_rows(place);
    append_number(line, place.line);
    transaction.put(line, branch);
}

std::string line_rows(const BranchPlace& place) {
    return sdk::KeyWriter(sdk::plugin_key_space(place.platform, kRepositorySpace) + 'b')
        .integer(place.repository)
        .key();
}

std::uint64_t platform_of(const sdk::RecordKey& record) {
    return sdk::KeyReader(record).integer().value_or(0);
}

sdk::Result<BranchPlace> BranchStore::find(const sdk::Reader& reader,
                                           const sdk::RecordKey& branch) const {
    std::string row;
    auto found = reader.get_into(branch_row(branch), row);
    if (!found) return found.error();
    if (!*found || row.size() != 2 * kNumberBytes + 1) return unknown_branch();
    return BranchPlace{platform_of(branch), read_number(row),
                       read_number(std::string_view(row).substr(kNumberBytes)), row.back() == 1};
}

VersionSpace BranchStore::space(const BranchPlace& place) const {
    const std::lock_guard lock(spaces_mutex_);
    const std::pair key(place.platform, place.repository);
    const auto known = spaces_.find(key);
    if (known != spaces_.end()) return known->second;
    if (spaces_.size() >= kMaxSpaces) spaces_.clear();
    return spaces_.emplace(key, VersionSpace(content_prefix(place), keeping_of, cache_))
        .first->second;
}

sdk::Result<std::shared_ptr<const PresentBranch>> BranchStore::present(
    const sdk::Reader& reader, const sdk::RecordKey& branch) const {
    const auto state = reader.state();
    if (auto known = state ? presents_.find(branch, *state) : nullptr) {
        auto noted = reader.note_get(known->row);
        if (!noted) return noted.error();
        return known;
    }
    auto place = find(reader, branch);
    if (!place) return place.error();
    auto shown = view(reader, *place);
    if (!shown) return shown.error();
    auto present = std::make_shared<const PresentBranch>(
        PresentBranch{branch_row(branch), *place, space(*place), *std::move(shown)});
    const std::size_t bytes =
        sizeof(PresentBranch) + present->row.size() + present->view.links.size() * sizeof(Link);
    if (state) presents_.keep(branch, *state, present, bytes);
    return std::shared_ptr<const PresentBranch>(std::move(present));
}

std::string BranchStore::content_prefix(const BranchPlace& place) const {
    return sdk::KeyWriter(sdk::plugin_key_space(place.platform, kContentSpace))
        .integer(place.repository)
        .key();
}

sdk::Result<void> BranchStore::set_social(sdk::Transaction& transaction, const BranchPlace& place,
                                          bool is_social) const {
    std::vector<sdk::RecordKey> branches;
    auto walked = for_each_line(transaction, place, [&](Line, const sdk::RecordKey& branch) {
        branches.push_back(branch);
        return true;
    });
    if (!walked) return walked;
    for (const sdk::RecordKey& branch : branches) {
        auto present = find(transaction, branch);
        // Lines outlive their branches.
        if (!present && sdk::is_missing(present.error())) continue;
        if (!present) return present.error();
        present->is_social = is_social;
        put_place(transaction, branch, *present);
    }
    return {};
}

sdk::Result<void> BranchStore::forget_repository(sdk::Transaction& transaction,
                                                 const sdk::RecordKey& repository) const {
    auto place = find_repository(transaction, repository);
    if (!place) return place.error();
    transaction.remove(repository_row(repository));
    transaction.remove(space_row({place->platform, place->repository}));
    return {};
}

sdk::Result<View> BranchStore::view(const sdk::Reader& reader, const BranchPlace& place,
                                    std::optional<Revision> revision) const {
    const VersionSpace own = space(place);
    if (!revision) return find_view(reader, own, place.line);
    auto present = find_view(reader, own, place.line);
    if (!present) return present;
    auto line = line_of(reader, place, *revision);
    if (!line) return line.error();
    for (const Link& link : present->links) {
        if (*line && link.line == **line && *revision <= link.bound)
            return find_view(reader, own, link.line, revision);
    }
    return unknown_changeset();
}

sdk::Result<std::uint64_t> BranchStore::next_repository(sdk::Transaction& transaction,
                                                        std::uint64_t platform) const {
    return next_number(transaction, last_repository_row(platform));
}

sdk::Result<bool> BranchStore::has_more_repositories(const sdk::Transaction& transaction,
                                                     const sdk::Reader& committed,
                                                     std::uint64_t platform) const {
    return has_higher(transaction, committed, last_repository_row(platform));
}

sdk::Result<BranchPlace> BranchStore::open_repository(sdk::Transaction& transaction,
                                                      std::uint64_t number,
                                                      const sdk::RecordKey& repository,
                                                      const sdk::RecordKey& master) const {
    const std::uint64_t platform = platform_of(repository);
    std::string row;
    append_number(row, number);
    transaction.put(repository_row(repository), row);
    transaction.put(space_row({platform, number}), {});
    BranchPlace place{platform, number, 0};
    // There is nothing in it, and whoever fills it asks for each key whether that is so.
    const std::string content = content_prefix(place);
    transaction.expect({{content, sdk::prefix_end(content)}});
    auto line = next_line(transaction, place);
    if (!line) return line.error();
    place.line = *line;
    put_place(transaction, master, place);
    return place;
}

sdk::Result<BranchPlace> BranchStore::fork(sdk::Transaction& transaction, const sdk::Reader& parent,
                                           const sdk::RecordKey& branch, const BranchPlace& forked,
                                           const AncestryPoint& changeset) const {
    auto last = tip(transaction, forked);
    if (!last) return last.error();
    auto shown = view(transaction, forked);
    if (!shown) return shown.error();
    auto line = next_line(transaction, forked);
    if (!line) return line.error();
    const VersionSpace own = space(forked);
    auto made = put_line(transaction, parent, own, *line, {changeset.line, changeset.revision});
    if (!made) return made.error();
    if (changeset.revision == *last) {
        auto handed = Ancestry::hand_on(transaction, own, *shown, changeset.line, *line);
        if (!handed) return handed.error();
    }
    const BranchPlace place{forked.platform, forked.repository, *line, forked.is_social};
    put_place(transaction, branch, place);
    return place;
}

void BranchStore::forget(sdk::Transaction& transaction, const sdk::RecordKey& branch) const {
    transaction.remove(branch_row(branch));
}

sdk::Result<BranchPlace> BranchStore::find_repository(const sdk::Reader& reader,
                                                      const sdk::RecordKey& repository) const {
    auto row = reader.get(repository_row(repository));
    if (!row) return row.error();
    if (!*row || (*row)->size() != kNumberBytes) {
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.repository_unknown",
                               "there is no such repository");
    }
    return BranchPlace{platform_of(repository), read_number(**row), kFirstLine};
}

sdk::Result<Revision> BranchStore::tip(const sdk::Reader& reader, const BranchPlace& place) const {
    auto shown = view(reader, place);
    if (!shown) return shown.error();
    const VersionSpace own = space(place);
    for (const Link& link : shown->links) {
        const std::string changes = own.changes(link.line);
        std::string end = changes;
        append_number(end, link.is_tip() ? kUncommitted : link.bound + 1);
        const auto cursor = reader.scan({changes, end}, sdk::ScanDirection::backward);
        if (cursor->is_valid()) return read_number(cursor->key().substr(changes.size()));
        if (auto status = cursor->status(); !status) return status.error();
    }
    return Revision{0};
}

sdk::Result<std::optional<Line>> BranchStore::line_of(const sdk::Reader& reader,
                                                      const BranchPlace& place,
                                                      Revision revision) const {
    auto row = reader.get(space(place).line_of(revision));
    if (!row) return row.error();
    if (!*row) return std::optional<Line>();
    return std::optional<Line>(read_number(**row));
}

sdk::Result<ChangesetNote> BranchStore::note(const sdk::Reader& reader, const BranchPlace& place,
                                             Revision revision) const {
    auto line = line_of(reader, place, revision);
    if (!line) return line.error();
    if (!*line) return unknown_changeset();
    std::string key = space(place).changes(**line);
    append_number(key, revision);
    auto row = reader.get(key);
    if (!row) return row.error();
    if (!*row) return unknown_changeset();
    auto changes = ChangeRecord::decode(**row);
    if (!changes) return changes.error();
    return ChangesetNote::decode(changes->note);
}

sdk::Result<std::optional<AncestryPoint>> BranchStore::find_changeset(const sdk::Reader& reader,
                                                                      const BranchPlace& place,
                                                                      std::string_view id) const {
    const auto none = std::optional<AncestryPoint>();
    const auto revision = revision_of(id);
    if (!revision) return none;
    auto line = line_of(reader, place, *revision);
    if (!line) return line.error();
    if (!*line) return none;
    auto said = note(reader, place, *revision);
    if (!said) return said.error();
    if (id != changeset_id(*revision, said->random_part)) return none;
    return std::optional(AncestryPoint{**line, *revision});
}

sdk::Result<AncestryPoint> BranchStore::shown_changeset(const sdk::Reader& reader,
                                                        const BranchPlace& place,
                                                        std::string_view id) const {
    auto found = find_changeset(reader, place, id);
    if (!found) return found.error();
    if (!*found) return unknown_changeset();
    auto shown = view(reader, place, (*found)->revision);
    if (!shown) return shown.error();
    return **found;
}

sdk::Result<void> BranchStore::for_each_line(
    const sdk::Reader& reader, const BranchPlace& place,
    const std::function<bool(Line line, const sdk::RecordKey& branch)>& visit) const {
    const std::string rows = line_rows(place);
    const auto cursor = reader.scan({rows, sdk::prefix_end(rows)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const Line line = read_number(cursor->key().substr(rows.size()));
        if (!visit(line, sdk::RecordKey(cursor->value()))) break;
    }
    return cursor->status();
}

sdk::Result<bool> BranchStore::has_more_lines(const sdk::Transaction& transaction,
                                              const sdk::Reader& committed,
                                              const BranchPlace& place) const {
    return has_higher(transaction, committed, last_line_row(place));
}

sdk::Result<Line> BranchStore::next_line(sdk::Transaction& transaction,
                                         const BranchPlace& place) const {
    return next_number(transaction, last_line_row(place));
}

sdk::Result<Line> BranchStore::last_line(sdk::Transaction& transaction,
                                         const BranchPlace& place) const {
    auto row = transaction.get(last_line_row(place));
    if (!row) return row.error();
    return *row ? read_number(**row) : Line{0};
}

}  // namespace stele::nodes
