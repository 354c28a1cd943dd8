#include <algorithm>

#include "branch/branch_store.hpp"

namespace stele::nodes {

namespace {

/// Whether a line has a version of a record, no later than a revision.
sdk::Result<bool> has_version(const sdk::Reader& reader, const VersionSpace& space,
                              std::string_view record, const Link& link) {
    const std::string all = space.record(record);
    const auto cursor =
        reader.scan({space.record(record, link.line, link.bound), sdk::prefix_end(all)},
                    sdk::ScanDirection::forward);
    if (cursor->is_valid()) return ~read_number(cursor->key().substr(all.size())) == link.line;
    if (auto status = cursor->status(); !status) return status.error();
    return false;
}

/// The place among the links of the line that a record was made on; the first for one of this very
/// operation, and for one that came from none of them.
sdk::Result<std::size_t> birth_of(const sdk::Reader& reader, const PresentBranch& present,
                                  std::string_view record) {
    // Oldest lines and revisions stand last, so this is the first version of all.
    const std::string all = present.space.record(record);
    const auto cursor = reader.scan({all, sdk::prefix_end(all)}, sdk::ScanDirection::backward);
    if (!cursor->is_valid()) {
        if (auto status = cursor->status(); !status) return status.error();
        return std::size_t{0};
    }
    const Line first = ~read_number(cursor->key().substr(all.size()));
    const auto& links = present.view.links;
    const auto known = std::find_if(links.begin(), links.end(),
                                    [first](const Link& link) { return link.line == first; });
    if (known != links.end()) return static_cast<std::size_t>(known - links.begin());
    for (std::size_t rank = links.size(); rank > 1; --rank) {
        auto has = has_version(reader, present.space, record, links[rank - 1]);
        if (!has) return has.error();
        if (*has) return rank - 1;
    }
    return std::size_t{0};
}

}  // namespace

sdk::Result<sdk::RecordKey> BranchStore::owner(const sdk::Reader& reader, const BranchPlace& place,
                                               Line line) const {
    std::string row = line_rows(place);
    append_number(row, line);
    {
        const std::lock_guard lock(owners_mutex_);
        const auto known = owners_.find(row);
        if (known != owners_.end()) return known->second;
    }
    auto branch = reader.get(row);
    if (!branch) return branch.error();
    if (!*branch) {
        return sdk::make_error(sdk::ErrorKind::internal, "nodes.branch_line_broken",
                               "what is kept about a branch cannot be read",
                               "line " + std::to_string(line) + " belongs to no branch");
    }
    if (shows_only_commits(reader)) {
        const std::lock_guard lock(owners_mutex_);
        if (owners_.size() >= kMaxOwners) owners_.clear();
        owners_.emplace(std::move(row), **branch);
    }
    return sdk::RecordKey(**std::move(branch));
}

sdk::Result<std::vector<sdk::RecordKey>> BranchStore::owners(const sdk::Reader& reader,
                                                             const sdk::RecordKey& branch,
                                                             const PresentBranch& present,
                                                             std::size_t links) const {
    std::vector<sdk::RecordKey> found;
    for (std::size_t rank = 1; rank < links; ++rank) {
        auto one = owner(reader, present.place, present.view.links[rank].line);
        if (!one) return one.error();
        // A reset gives a branch another line; those of one branch stand beside one another.
        const sdk::RecordKey& before = found.empty() ? branch : found.back();
        if (*one != before) found.push_back(*std::move(one));
    }
    return found;
}

sdk::Result<std::vector<sdk::RecordKey>> BranchStore::origins(const sdk::Reader& reader,
                                                              const sdk::RecordKey& branch) const {
    auto present = this->present(reader, branch);
    if (!present) return present.error();
    return owners(reader, branch, **present, (*present)->view.links.size());
}

sdk::Result<std::vector<sdk::RecordKey>> BranchStore::origins_of(const sdk::Reader& reader,
                                                                 const sdk::RecordKey& branch,
                                                                 std::string_view record) const {
    auto present = this->present(reader, branch);
    if (!present) return present.error();
    if ((*present)->view.links.size() == 1) return std::vector<sdk::RecordKey>();
    auto birth = birth_of(reader, **present, record);
    if (!birth) return birth.error();
    return owners(reader, branch, **present, *birth + 1);
}

}  // namespace stele::nodes
