#include <algorithm>
#include <iterator>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/engine/row_keys.hpp"
#include "kernel/storage/index/index_entries.hpp"
#include "kernel/storage/query/query_node.hpp"
#include "kernel/storage/query/query_plan.hpp"
#include "kernel/storage/query/query_run.hpp"
#include "kernel/storage/record/collection_rules.hpp"
#include "kernel/storage/record/name_table.hpp"

namespace stele::kernel::storage {

namespace {

// Entries are counted in rounds that grow, so that the shortest path is found at its own price;
// when all are longer than this part of the collection, reading everything in order is no dearer.
constexpr std::uint64_t kFirstRound = 64;
constexpr std::uint64_t kGrowth = 2;
constexpr std::uint64_t kLastRound = 256;
constexpr std::uint64_t kPartOfCollection = 8;

}  // namespace

sdk::Result<std::optional<std::uint64_t>> Planner::field_number(std::string_view path) const {
    const bool has_index = is_indexable_path(path) &&
                           !is_covered_by(path, request_.state.unindexed) &&
                           !is_covered_by(path, request_.rules.unindexed_fields);
    if (!has_index) return std::optional<std::uint64_t>();
    const auto number = request_.names.find(request_.reader, path);
    if (!number) return number.error();
    return std::optional(number->value_or(AccessFinder::kUnknownField));
}

sdk::Result<std::vector<std::string>> Planner::field_entries(std::string_view path) const {
    std::vector<std::string> prefixes;
    const auto own = field_number(path);
    if (!own) return own.error();
    if (!*own) return prefixes;
    prefixes.push_back(field_prefix(request_.collection, **own));
    for (const std::string& shared : shared_names(path)) {
        const auto number = request_.names.find(request_.reader, shared);
        if (!number) return number.error();
        if (*number) prefixes.push_back(field_prefix(request_.collection, **number));
    }
    return prefixes;
}

sdk::Result<void> Planner::choose_path(const std::vector<const SpaceIndex*>& indexes) {
    // What covers more conditions comes first: of paths that are all short the first is taken.
    auto accesses = space_index_accesses(indexes);
    if (!accesses) return accesses.error();
    const AccessFinder finder(request_.page.explain, /*is_automatic=*/true,
                              [this](std::string_view path) { return field_entries(path); });
    auto automatic = finder.find(conditions_);
    if (!automatic) return automatic.error();
    std::move(automatic->begin(), automatic->end(), std::back_inserter(*accesses));
    if (accesses->size() > kMostPaths)
        accesses->erase(accesses->begin() + kMostPaths, accesses->end());
    auto paths = live_paths(*accesses);
    if (!paths) return paths.error();
    if (auto counted = count_entries(*paths); !counted) return counted;

    const auto shortest =
        std::min_element(paths->begin(), paths->end(), [](const LivePath& a, const LivePath& b) {
            return a.entries.value_or(~std::uint64_t{0}) < b.entries.value_or(~std::uint64_t{0});
        });
    const bool is_known = shortest != paths->end() && shortest->entries.has_value();
    const std::uint64_t candidates = is_known ? *shortest->entries : rows_ / kPartOfCollection;
    if (prefers_visible_list(candidates)) {
        use_visible_list();
        return {};
    }
    const auto exact = std::find_if(paths->begin(), paths->end(), [this](const LivePath& path) {
        return answers_exactly(path) && is_in_order(path);
    });
    if (exact != paths->end() && is_everything()) {
        const std::uint64_t matches = exact->entries.value_or(candidates);
        const sdk::PageRequest& page = request_.page;
        const bool is_short =
            page.limit >= 0 && page.skip < rows_ && static_cast<std::uint64_t>(page.limit) < rows_;
        const std::uint64_t wanted =
            is_short ? page.skip + static_cast<std::uint64_t>(page.limit) : rows_;
        if (!page.sort.empty() && matches != 0 && wanted * rows_ / matches < matches) {
            const auto ordered = try_order(&*exact);
            if (!ordered) return ordered.error();
            if (*ordered) {
                plan_.conditions = exact->access->conditions;
                return {};
            }
        }
        if (page.sort.empty() && !is_known) return use_path(*exact);
    }
    if (is_known) return use_path(*shortest);
    use_collection();
    return {};
}

sdk::Result<std::vector<Planner::LivePath>> Planner::live_paths(
    const std::vector<AccessPath>& accesses) {
    std::vector<LivePath> paths;
    for (const AccessPath& access : accesses) {
        LivePath path;
        path.access = &access;
        for (const IndexRange& range : access.ranges) {
            if (auto left = time_.count_work(); !left) return left.error();
            const auto live = has_entries(range.keys);
            if (!live) return live.error();
            if (*live) path.ranges.push_back(&range);
        }
        if (access.ids) path.entries = access.ids->size();
        paths.push_back(std::move(path));
    }
    return paths;
}

sdk::Result<void> Planner::count_entries(std::vector<LivePath>& paths) {
    const std::uint64_t last = std::max(kLastRound, rows_ / kPartOfCollection);
    for (std::uint64_t limit = kFirstRound; limit <= last; limit *= kGrowth) {
        for (LivePath& path : paths) {
            if (path.entries && *path.entries <= limit) return {};
            if (auto counted = count_up_to(path, limit); !counted) return counted;
            if (path.entries) return {};
        }
    }
    return {};
}

/// Goes on where it stopped, and keeps what it sees: it need not be read again. Between rounds no
/// cursor is kept, which would hold what it has read.
sdk::Result<void> Planner::count_up_to(LivePath& path, std::uint64_t limit) {
    if (path.access->ids) return {};
    for (; path.range < path.ranges.size(); ++path.range, path.key.clear()) {
        const IndexRange& range = *path.ranges[path.range];
        const std::string& begin = path.key.empty() ? range.keys.begin : path.key;
        const auto cursor =
            request_.reader.scan({begin, range.keys.end}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (over_indexed_ + path.counted >= limit) {
                path.key = cursor->key();
                return {};
            }
            ++path.counted;
            note_seen(path, range, cursor->key());
            if (auto left = time_.count_work(); !left) return left;
        }
        if (auto status = cursor->status(); !status) return status;
    }
    path.entries = over_indexed_ + path.counted;
    return {};
}

void Planner::note_seen(LivePath& path, const IndexRange& range, std::string_view key) {
    // One that is not complete is of no use.
    if (path.seen.size() + 1 != path.counted) return;
    if (seen_ == kMostSeen) {
        seen_ -= path.seen.size();
        path.seen = {};
        return;
    }
    ++seen_;
    path.seen.push_back(ListedCandidate::of(sequence_of(key), is_exact(path, range)));
}

/// Whether a record that has an entry in the range matches without a look at it.
bool Planner::is_exact(const LivePath& path, const IndexRange& range) const {
    return range.is_exact && path.access->covered == conditions_.size();
}

/// Whether the entries come in creation order, each record once.
bool Planner::is_in_order(const LivePath& path) {
    const bool is_apart =
        path.ranges.size() == 1 || (path.ranges.size() > 1 && path.access->is_one_equality);
    return is_apart && std::all_of(path.ranges.begin(), path.ranges.end(),
                                   [](const IndexRange* range) { return range->is_one_value; });
}

std::vector<sdk::KeyRange> Planner::keys_of(const LivePath& path) {
    std::vector<sdk::KeyRange> keys;
    std::transform(path.ranges.begin(), path.ranges.end(), std::back_inserter(keys),
                   [](const IndexRange* range) { return range->keys; });
    return keys;
}

bool Planner::answers_exactly(const LivePath& path) const {
    return over_indexed_ == 0 && !path.access->ids && path.access->covered == conditions_.size() &&
           std::all_of(path.ranges.begin(), path.ranges.end(),
                       [](const IndexRange* range) { return range->is_exact; });
}

sdk::Result<void> Planner::use_path(LivePath& path) {
    plan_.access = path.access->ids ? "ids" : "index";
    if (path.access->index != nullptr) describe(*path.access->index);
    plan_.conditions = path.access->conditions;
    plan_.is_ordered = request_.page.sort.empty();
    const bool is_seen = path.entries && !path.access->ids && path.counted == path.seen.size();
    if (over_indexed_ == 0 && is_seen) {
        plan_.source = list_source(std::move(path.seen), &cost_.entries);
        return {};
    }
    if (over_indexed_ == 0 && is_in_order(path)) {
        plan_.source = merged_source(request_.reader, keys_of(path),
                                     is_exact(path, *path.ranges.front()), cost_);
        return {};
    }
    std::vector<ListedCandidate> list;
    auto collected = path.access->ids ? collect_ids(*path.access, list) : collect(path, list);
    if (!collected) return collected;
    plan_.source = list_source(std::move(list));
    return {};
}

sdk::Result<void> Planner::collect(const LivePath& path, std::vector<ListedCandidate>& list) {
    for (const IndexRange* range : path.ranges) {
        const auto source =
            range_source(request_.reader, range->keys, is_exact(path, *range), cost_);
        Candidate candidate;
        for (;;) {
            const auto more = source->next(candidate);
            if (!more) return more.error();
            if (!*more) break;
            list.push_back(ListedCandidate::of(candidate.sequence, candidate.is_exact));
        }
    }
    return over_indexed_ == 0 ? sdk::Result<void>() : collect_over_indexed(list);
}

sdk::Result<void> Planner::collect_over_indexed(std::vector<ListedCandidate>& list) {
    const std::string prefix = collection_prefix(request_.collection, 'b');
    const auto source =
        range_source(request_.reader, {prefix, sdk::prefix_end(prefix)}, false, cost_);
    Candidate candidate;
    for (;;) {
        const auto more = source->next(candidate);
        if (!more) return more.error();
        if (!*more) return {};
        list.push_back(ListedCandidate::of(candidate.sequence, false));
    }
}

sdk::Result<void> Planner::collect_ids(const AccessPath& access,
                                       std::vector<ListedCandidate>& list) const {
    for (const std::string& id : *access.ids) {
        Sequence sequence;
        if (parse_sequence(id, sequence)) list.push_back(ListedCandidate::of(sequence, false));
        const auto target = request_.reader.get(alias_key(request_.collection, id));
        if (!target) return target.error();
        if (!*target) continue;
        list.push_back(ListedCandidate::of(AliasTarget::decode(**target).sequence, false));
    }
    return {};
}

}  // namespace stele::kernel::storage
