#include "ancestry.hpp"

#include <algorithm>
#include <queue>

namespace stele::nodes {

namespace {

constexpr std::size_t kPairBytes = 2 * kNumberBytes;

std::string at_revision(std::string rows, Revision revision) {
    append_number(rows, revision);
    return rows;
}

/// Of what a line turned out to have after a changeset.
std::string after(std::string row) {
    row += '\1';
    return row;
}

/// The last line that there was when a line turned out to have what a row says; nothing for a row
/// of a changeset. Rows of an earlier format say none.
std::optional<Line> last_line_of(std::string_view key, const std::string& rows) {
    const std::string_view rest = key.substr(std::min(key.size(), rows.size() + kNumberBytes));
    if (rest.empty()) return std::nullopt;
    return rest.size() > kNumberBytes ? read_number(rest.substr(1)) : Line{0};
}

struct IsOlder {
    bool operator()(const AncestryPoint& one, const AncestryPoint& other) const {
        return one.revision != other.revision ? one.revision < other.revision
                                              : one.line < other.line;
    }
};

}  // namespace

void cover(Coverage& coverage, const Coverage& other) {
    for (const auto& [line, revision] : other) {
        Revision& known = coverage[line];
        known = std::max(known, revision);
    }
}

Revision covered(const Coverage& coverage, Line line) {
    const auto found = coverage.find(line);
    return found == coverage.end() ? 0 : found->second;
}

sdk::Result<Coverage> Ancestry::coverage(const View& view, const Link& floor) const {
    return coverage(view, floor, false);
}

sdk::Result<Coverage> Ancestry::coverage(const View& view, const Link& floor, bool is_point) const {
    Coverage found;
    const Link* fork = nullptr;
    for (const Link& link : view.links) {
        const bool is_itself = is_point && fork == nullptr;
        const bool is_floor =
            floor.line != 0 && link.line == floor.line && link.bound >= floor.bound;
        cover(found, {{link.line, link.bound}});
        const std::string rows = space_.merges(link.line);
        const auto cursor = store_.scan(
            {at_revision(rows, is_floor ? floor.bound : 0),
             is_itself ? after(at_revision(rows, link.bound)) : at_revision(rows, link.bound + 1)},
            sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            const auto last = last_line_of(cursor->key(), rows);
            if (fork != nullptr && last && fork->line <= *last) continue;
            auto taken = decode(cursor->value());
            if (!taken) return taken;
            cover(found, *taken);
        }
        if (auto status = cursor->status(); !status) return status.error();
        if (is_floor) break;
        fork = &link;
    }
    return found;
}

sdk::Result<Coverage> Ancestry::coverage(const AncestryPoint& point, const Link& floor) const {
    auto view = find_view(store_, space_, point.line, point.revision);
    if (!view) return view.error();
    return coverage(*view, floor, true);
}

sdk::Result<std::vector<AncestryPoint>> Ancestry::nearest_common(const Coverage& one,
                                                                 const Coverage& other,
                                                                 const Link& floor) const {
    std::priority_queue<AncestryPoint, std::vector<AncestryPoint>, IsOlder> left;
    for (const auto& [line, revision] : one) {
        const Revision both = std::min(revision, covered(other, line));
        if (both > 0) left.push({line, both});
    }
    struct Found {
        AncestryPoint point;
        Coverage behind;
    };
    std::vector<Found> found;
    const auto is_behind = [](const AncestryPoint& point, const Found& newer) {
        return covered(newer.behind, point.line) >= point.revision;
    };
    while (!left.empty()) {
        const AncestryPoint next = left.top();
        left.pop();
        const bool is_old = std::any_of(found.begin(), found.end(),
                                        [&](const Found& newer) { return is_behind(next, newer); });
        if (is_old) continue;
        // A line may be in something up to a number that one of another line has.
        auto last = last_of(next.line, next.revision);
        if (!last) return last.error();
        if (!*last) continue;
        if (**last != next.revision) {
            left.push({next.line, **last});
            continue;
        }
        auto own = coverage(next, floor);
        if (!own) return own.error();
        found.push_back({next, std::move(*own)});
    }
    std::vector<AncestryPoint> points;
    for (const Found& nearest : found)
        points.push_back(nearest.point);
    return points;
}

sdk::Result<std::optional<Revision>> Ancestry::last_of(Line line, Revision bound) const {
    const std::string rows = space_.changes(line);
    const auto cursor =
        store_.scan({rows, at_revision(rows, bound + 1)}, sdk::ScanDirection::backward);
    if (auto status = cursor->status(); !status) return status.error();
    if (!cursor->is_valid()) return std::optional<Revision>();
    return std::optional<Revision>(read_number(cursor->key().substr(rows.size())));
}

sdk::Result<View> Ancestry::settled(View view, Revision newest) const {
    for (Link& link : view.links) {
        auto last = last_of(link.line, std::min(link.bound, newest));
        if (!last) return last.error();
        link.bound = last->value_or(0);
        if (*last) break;
    }
    return view;
}

std::string Ancestry::encode(const Coverage& taken) {
    std::string row;
    for (const auto& [line, revision] : taken) {
        append_number(row, line);
        append_number(row, revision);
    }
    return row;
}

sdk::Result<Coverage> Ancestry::decode(std::string_view row) {
    if (row.size() % kPairBytes != 0) {
        return sdk::make_error(sdk::ErrorKind::internal, "nodes.merge_row_broken",
                               "what is kept about a merge cannot be read");
    }
    Coverage taken;
    for (; !row.empty(); row.remove_prefix(kPairBytes))
        cover(taken, {{read_number(row), read_number(row.substr(kNumberBytes))}});
    return taken;
}

sdk::Result<void> Ancestry::note(sdk::Transaction& transaction, const VersionSpace& space,
                                 const AncestryPoint& tip, const Coverage& taken, Line last) {
    const std::string key =
        at_revision(after(at_revision(space.merges(tip.line), tip.revision)), last);
    auto present = transaction.get(key);
    if (!present) return present.error();
    Coverage all = taken;
    if (*present) {
        auto before = decode(**present);
        if (!before) return before.error();
        cover(all, *before);
    }
    transaction.put(key, encode(all));
    return {};
}

sdk::Result<void> Ancestry::hand_on(sdk::Transaction& transaction, const VersionSpace& space,
                                    const View& forked, Line from, Line to) {
    View passed{{}, forked.newest};
    for (const Link& link : forked.links) {
        if (link.line == from) break;
        passed.links.push_back({link.line, 0});
    }
    auto noted = Ancestry(transaction, space).coverage(passed);
    if (!noted) return noted.error();
    std::erase_if(*noted, [](const auto& at) { return at.second == 0; });
    if (noted->empty()) return {};
    return note(transaction, space, {to, 0}, *noted, to);
}

sdk::Result<void> Ancestry::note_pair(sdk::Transaction& transaction, const VersionSpace& space,
                                      Line source, Line target) {
    const std::string row = at_revision(space.incoming_merges(target), source);
    auto known = transaction.get(row);
    if (!known) return known.error();
    // Also where it is there: whoever has read it meanwhile has to look anew.
    transaction.put(row, {});
    transaction.put(at_revision(space.outgoing_merges(source), target), {});
    return {};
}

}  // namespace stele::nodes
