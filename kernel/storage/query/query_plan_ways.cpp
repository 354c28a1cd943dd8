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

// Entries are counted in rounds that grow, so that the shortest way is found at its own price; when
// all are longer than this part of the collection, reading everything in order is no dearer.
constexpr std::uint64_t kFirstRound = 64;
constexpr std::uint64_t kGrowth = 4;
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

sdk::Result<std::optional<std::string>> Planner::field_entries(std::string_view path) const {
    const auto number = field_number(path);
    if (!number) return number.error();
    if (!*number) return std::optional<std::string>();
    return std::optional(field_prefix(request_.collection, **number));
}

sdk::Result<void> Planner::choose_way(const std::vector<const SpaceIndex*>& indexes) {
    // What covers more conditions comes first: of ways that are all short the first is taken.
    auto accesses = space_index_accesses(indexes);
    if (!accesses) return accesses.error();
    const AccessFinder finder(request_.page.explain,
                              [this](std::string_view path) { return field_entries(path); });
    auto automatic = finder.find(conditions_);
    if (!automatic) return automatic.error();
    std::move(automatic->begin(), automatic->end(), std::back_inserter(*accesses));
    auto ways = live_ways(*accesses);
    if (!ways) return ways.error();
    if (auto counted = count_entries(*ways); !counted) return counted;

    const auto shortest =
        std::min_element(ways->begin(), ways->end(), [](const Way& a, const Way& b) {
            return a.entries.value_or(~std::uint64_t{0}) < b.entries.value_or(~std::uint64_t{0});
        });
    const bool is_known = shortest != ways->end() && shortest->entries.has_value();
    const std::uint64_t candidates = is_known ? *shortest->entries : rows_ / kPartOfCollection;
    if (prefers_visible_list(candidates)) {
        use_visible_list();
        return {};
    }
    const auto proving = std::find_if(ways->begin(), ways->end(), [this](const Way& way) {
        return is_proving(way) && way.ranges.size() == 1 && way.ranges.front()->is_one_value;
    });
    if (proving != ways->end() && is_everything()) {
        const std::uint64_t matches = proving->entries.value_or(candidates);
        const sdk::PageRequest& page = request_.page;
        const bool is_short =
            page.limit >= 0 && page.skip < rows_ && static_cast<std::uint64_t>(page.limit) < rows_;
        const std::uint64_t wanted =
            is_short ? page.skip + static_cast<std::uint64_t>(page.limit) : rows_;
        if (!page.sort.empty() && matches != 0 && wanted * rows_ / matches < matches) {
            const auto ordered = try_order(&*proving);
            if (!ordered) return ordered.error();
            if (*ordered) {
                plan_.conditions = proving->access->conditions;
                return {};
            }
        }
        if (page.sort.empty() && !is_known) return use_way(*proving);
    }
    if (is_known) return use_way(*shortest);
    use_collection();
    return {};
}

sdk::Result<std::vector<Planner::Way>> Planner::live_ways(
    const std::vector<Access>& accesses) const {
    std::vector<Way> ways;
    for (const Access& access : accesses) {
        Way way{&access, {}, {}};
        for (const IndexRange& range : access.ranges) {
            const auto live = has_entries(range.keys);
            if (!live) return live.error();
            if (*live) way.ranges.push_back(&range);
        }
        if (access.ids) way.entries = access.ids->size();
        ways.push_back(std::move(way));
    }
    return ways;
}

sdk::Result<void> Planner::count_entries(std::vector<Way>& ways) const {
    const std::uint64_t last = std::max(kLastRound, rows_ / kPartOfCollection);
    for (std::uint64_t limit = kFirstRound; limit <= last; limit *= kGrowth) {
        for (Way& way : ways) {
            if (way.entries && *way.entries <= limit) return {};
            auto entries = count_up_to(way, limit);
            if (!entries) return entries.error();
            way.entries = *entries;
            if (way.entries) return {};
        }
    }
    return {};
}

sdk::Result<std::optional<std::uint64_t>> Planner::count_up_to(const Way& way,
                                                               std::uint64_t limit) const {
    if (way.access->ids) return way.entries;
    std::uint64_t entries = wide_;
    for (const IndexRange* range : way.ranges) {
        const auto cursor = request_.reader.scan(range->keys, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next()) {
            if (++entries > limit) return std::optional<std::uint64_t>();
        }
        if (auto status = cursor->status(); !status) return status.error();
    }
    return std::optional(entries);
}

bool Planner::is_proving(const Way& way) const {
    return wide_ == 0 && !way.access->ids && way.access->covered == conditions_.size() &&
           std::all_of(way.ranges.begin(), way.ranges.end(),
                       [](const IndexRange* range) { return range->is_proven; });
}

sdk::Result<void> Planner::use_way(const Way& way) {
    plan_.access = way.access->ids ? "ids" : "index";
    if (way.access->index != nullptr) describe(*way.access->index);
    plan_.conditions = way.access->conditions;
    plan_.is_ordered = request_.page.sort.empty();
    const bool is_stream = wide_ == 0 && way.ranges.size() == 1 && way.ranges.front()->is_one_value;
    if (is_stream) {
        const IndexRange& range = *way.ranges.front();
        const bool is_proven = range.is_proven && way.access->covered == conditions_.size();
        plan_.source = range_source(request_.reader, range.keys, is_proven, cost_);
        return {};
    }
    std::vector<ListedCandidate> list;
    auto collected = way.access->ids ? collect_ids(*way.access, list) : collect(way, list);
    if (!collected) return collected;
    plan_.source = list_source(std::move(list));
    return {};
}

sdk::Result<void> Planner::collect(const Way& way, std::vector<ListedCandidate>& list) {
    for (const IndexRange* range : way.ranges) {
        const bool is_proven = range->is_proven && way.access->covered == conditions_.size();
        const auto source = range_source(request_.reader, range->keys, is_proven, cost_);
        Candidate candidate;
        for (;;) {
            const auto more = source->next(candidate);
            if (!more) return more.error();
            if (!*more) break;
            list.push_back(ListedCandidate::of(candidate.sequence, candidate.is_proven));
        }
    }
    return wide_ == 0 ? sdk::Result<void>() : collect_wide(list);
}

sdk::Result<void> Planner::collect_wide(std::vector<ListedCandidate>& list) {
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

sdk::Result<void> Planner::collect_ids(const Access& access,
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
