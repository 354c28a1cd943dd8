#include <algorithm>
#include <iterator>

#include "kernel/storage/query/query_node.hpp"
#include "kernel/storage/query/query_plan.hpp"
#include "kernel/storage/query/query_run.hpp"
#include "kernel/storage/record/collection_rules.hpp"

namespace stele::kernel::storage {

namespace {

std::string prefix_of_kind(const std::string& scope, IndexKind kind) {
    return scope + static_cast<char>(kind);
}

sdk::KeyRange whole(const std::string& prefix) {
    return {prefix, sdk::prefix_end(prefix)};
}

const Query::Node* equality_on(const std::vector<const Query::Node*>& conditions,
                               const std::string& path) {
    const auto found =
        std::find_if(conditions.begin(), conditions.end(), [&path](const Query::Node* condition) {
            return condition->field == path && !exact_equality(*condition).empty();
        });
    return found == conditions.end() ? nullptr : *found;
}

}  // namespace

std::optional<Planner::Scope> Planner::scope_at(const SpaceIndex& index, std::size_t depth) const {
    Scope scope{&index, depth, {}, conditions_};
    std::string equality;
    for (std::size_t i = 0; i < depth; ++i) {
        const Query::Node* condition = equality_on(conditions_, index.members[i].path);
        if (condition == nullptr) return std::nullopt;
        equality += exact_equality(*condition);
        std::erase(scope.rest, condition);
    }
    scope.prefix = space_index_prefix(request_.collection, index, depth, equality);
    return scope;
}

/// Those that are complete and apply to the query.
sdk::Result<std::vector<const SpaceIndex*>> Planner::usable_indexes() const {
    std::vector<const SpaceIndex*> usable;
    for (const SpaceIndex& index : request_.state.made.all) {
        if (!index.is_ready || !scope_at(index, index.least_depth())) continue;
        const auto overflows = has_prefix(space_overflow_prefix(request_.collection, index));
        if (!overflows) return overflows.error();
        if (!*overflows) usable.push_back(&index);
    }
    return usable;
}

sdk::Result<std::vector<AccessPath>> Planner::space_index_accesses(
    const std::vector<const SpaceIndex*>& indexes) const {
    std::vector<AccessPath> all;
    for (const SpaceIndex* index : indexes) {
        // The deepest member that something is said of has the shortest ranges.
        for (std::size_t depth = index->members.size(); depth-- > 1;) {
            const auto scope = scope_at(*index, depth);
            if (!scope) continue;
            auto accesses = accesses_in(*scope);
            if (!accesses) return accesses;
            if (accesses->empty()) continue;
            std::move(accesses->begin(), accesses->end(), std::back_inserter(all));
            break;
        }
    }
    return all;
}

sdk::Result<std::vector<AccessPath>> Planner::accesses_in(const Scope& scope) const {
    const std::string& member = scope.index->members[scope.depth].path;
    const AccessFinder finder(
        request_.page.explain, /*is_automatic=*/false, [&](std::string_view path) {
            return sdk::Result<AccessFinder::Prefixes>(
                path == member ? AccessFinder::Prefixes{scope.prefix} : AccessFinder::Prefixes());
        });
    auto accesses = finder.find(scope.rest);
    if (!accesses) return accesses;
    std::erase_if(*accesses, [](const AccessPath& access) { return access.ids.has_value(); });
    for (AccessPath& access : *accesses) {
        access.index = scope.index;
        access.covered += scope.depth;
    }
    return accesses;
}

sdk::Result<bool> Planner::try_space_order(const std::vector<const SpaceIndex*>& indexes) {
    // A list of the visible records is mostly shorter than what lies in a scope.
    const bool fits = is_plain_order() && (is_everything() || !request_.visibility.only);
    if (!fits) return false;
    const std::string& field = request_.page.sort.front().field;
    for (const SpaceIndex* index : indexes) {
        for (std::size_t depth = index->least_depth(); depth < index->members.size(); ++depth) {
            if (index->members[depth].path != field) continue;
            const auto scope = scope_at(*index, depth);
            if (!scope) break;
            const auto used = scope->rest.empty() ? try_scope(*scope) : try_bounds(*scope);
            if (!used || *used) return used;
        }
    }
    return false;
}

/// The records of a scope: one entry of each, by class and value.
sdk::Result<bool> Planner::try_scope(const Scope& scope) {
    const auto of = [&](IndexKind kind) { return prefix_of_kind(scope.prefix, kind); };
    for (const std::string& misfits : {scope.prefix + kIrregularKind, of(IndexKind::long_text)}) {
        const auto present = has_prefix(misfits);
        if (!present) return present.error();
        if (*present) return false;
    }
    const std::string absent = scope.prefix + kAbsentKind;
    std::vector<std::vector<std::string>> classes;
    if (request_.numeric_sort) {
        const auto is_exact = has_exact_numbers(of(IndexKind::number));
        if (!is_exact) return is_exact.error();
        if (!*is_exact) return false;
        classes = {{absent}, {of(IndexKind::number)}, {of(IndexKind::text), of(IndexKind::flag)}};
    } else {
        classes = {{absent, of(IndexKind::text), of(IndexKind::number_text), of(IndexKind::flag)}};
    }
    const bool is_ascending = request_.page.sort.front().ascending;
    if (!is_ascending) std::reverse(classes.begin(), classes.end());
    std::vector<std::unique_ptr<CandidateSource>> sources;
    std::vector<sdk::KeyRange> ranges;
    for (const auto& prefixes : classes) {
        std::vector<OrderedEntries> entries;
        std::transform(prefixes.begin(), prefixes.end(), std::back_inserter(entries),
                       OrderedEntries::of);
        sources.push_back(
            ordered_source(request_.reader, std::move(entries), is_ascending, true, cost_));
        std::transform(prefixes.begin(), prefixes.end(), std::back_inserter(ranges), whole);
    }
    if (!is_everything()) ranges.clear();
    use_space_order(scope, chained_source(std::move(sources)), std::move(ranges));
    if (conditions_.empty() && is_everything()) {
        if (auto counted = count_by_rows(); !counted) return counted.error();
    }
    return true;
}

/// The records of a scope within bounds on the member that they are sorted by, when their values
/// are of one kind that has this order.
sdk::Result<bool> Planner::try_bounds(const Scope& scope) {
    const auto accesses = accesses_in(scope);
    if (!accesses) return accesses.error();
    if (accesses->size() != 1 || accesses->front().covered != conditions_.size()) return false;
    const auto paths = live_paths(*accesses);
    if (!paths) return paths.error();
    const LivePath& path = paths->front();
    if (path.ranges.size() != 1 || !path.ranges.front()->is_exact) return false;
    const sdk::KeyRange& keys = path.ranges.front()->keys;
    const auto kind = static_cast<IndexKind>(keys.begin[scope.prefix.size()]);
    const std::string values = prefix_of_kind(scope.prefix, kind);
    if (kind == IndexKind::number) {
        if (!request_.numeric_sort) return false;
        const auto is_exact = has_exact_numbers(values);
        if (!is_exact || !*is_exact) return is_exact;
    } else if (kind != IndexKind::text && kind != IndexKind::flag) {
        return false;
    }
    plan_.conditions = accesses->front().conditions;
    const bool is_ascending = request_.page.sort.front().ascending;
    use_space_order(scope,
                    ordered_source(request_.reader, {{values, keys}}, is_ascending, true, cost_),
                    {keys});
    if (!is_everything()) plan_.total_ranges.clear();
    return true;
}

void Planner::use_space_order(const Scope& scope, std::unique_ptr<CandidateSource> source,
                              std::vector<sdk::KeyRange> total_ranges) {
    describe(*scope.index);
    plan_.source = std::move(source);
    plan_.is_ordered = true;
    plan_.total_ranges = std::move(total_ranges);
}

void Planner::describe(const SpaceIndex& index) {
    plan_.access = "composite";
    plan_.index = index.name;
    plan_.fields.clear();
    for (const sdk::IndexMember& member : index.members)
        plan_.fields.push_back(member.path);
}

}  // namespace stele::kernel::storage
