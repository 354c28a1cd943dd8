#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/page.hpp>

#include "kernel/storage/index/composite_index.hpp"
#include "kernel/storage/query/query_plan_access.hpp"
#include "kernel/storage/query/query_run_sources.hpp"
#include "kernel/storage/query/query_time.hpp"

namespace stele::kernel::storage {

class NameTable;
struct CollectionRules;
struct Visibility;

/// What a plan is made from. All references outlive the planner.
struct PlanRequest {
    const sdk::Reader& reader;
    CollectionId collection;
    NameTable& names;
    const IndexState& state;
    const CollectionRules& rules;
    const Query& query;
    const sdk::PageRequest& page;
    const Visibility& visibility;
    bool numeric_sort;
};

/// How a query is answered.
struct QueryPlan {
    std::unique_ptr<CandidateSource> source;
    /// The candidates come in the order of the result.
    bool is_ordered = false;
    /// The source is the list of visible records.
    bool is_visible_list = false;
    /// The number of matches, when a counter tells.
    std::optional<std::uint64_t> total;
    /// Otherwise, when given: every entry of the ranges is one match.
    std::vector<sdk::KeyRange> total_ranges;

    /// For `explain`: collection, ids, visible, index, order or composite.
    std::string access;
    std::vector<std::string> conditions;
    std::vector<std::string> fields;
    /// Name of the index that clients made; empty when another one is used, or none.
    std::string index;
    std::uint64_t collection_rows = 0;

    /// The composite index that would have served the query; empty when none would.
    std::vector<std::string> advised;
    bool advised_is_numeric = false;
    bool advised_is_building = false;
};

/// Chooses the cheapest access path by counters and by looking a little way into the ranges.
class Planner {
public:
    Planner(const PlanRequest& request, RunCost& cost) : request_(request), cost_(cost) {}

    sdk::Result<QueryPlan> make();

private:
    /// An access path with the ranges of it that have entries.
    struct LivePath {
        const AccessPath* access = nullptr;
        std::vector<const IndexRange*> ranges;
        /// Nothing: more than was counted.
        std::optional<std::uint64_t> entries = {};

        /// Where counting goes on: so many are counted, in ranges before this one and in this one
        /// up to a key, at its beginning where that is empty.
        std::uint64_t counted = 0;
        std::size_t range = 0;
        std::string key = {};
        /// What was counted, unless the paths together have more than `kMostSeen`.
        std::vector<ListedCandidate> seen = {};
    };
    static constexpr std::size_t kMostSeen = 65'536;
    /// Of many conditions the first are looked at as ways to the matches.
    static constexpr std::size_t kMostPaths = 64;

    /// For what is answered, or makes a path complete.
    sdk::Result<std::int64_t> counter(const std::string& key) const;
    /// The same for what a path costs: whoever writes meanwhile is no conflict.
    sdk::Result<std::int64_t> estimate(const std::string& key) const;
    /// All records, as the total of the plan.
    sdk::Result<void> count_by_rows();
    sdk::Result<bool> has_entries(sdk::KeyRange range) const;
    sdk::Result<bool> has_prefix(const std::string& prefix) const;
    bool is_plain_order() const;
    bool is_everything() const;

    // query_plan_composite.cpp
    sdk::Result<bool> try_composite();
    std::optional<std::vector<std::string>> equality_fields() const;
    std::string equality_of(const CompositeIndexState& index) const;
    sdk::Result<bool> is_usable(const CompositeIndexState& index,
                                const std::string& equality) const;

    // query_plan_space_index.cpp
    /// What lies in an index under the values that the query's equalities give to its leading
    /// members.
    struct Scope {
        const SpaceIndex* index = nullptr;
        std::size_t depth = 0;
        /// Of the entries of the member behind them, up to their kind.
        std::string prefix;
        /// Conditions beside these equalities.
        std::vector<const Query::Node*> rest;
    };
    std::optional<Scope> scope_at(const SpaceIndex& index, std::size_t depth) const;
    sdk::Result<std::vector<const SpaceIndex*>> usable_indexes() const;
    sdk::Result<std::vector<AccessPath>> space_index_accesses(
        const std::vector<const SpaceIndex*>& indexes) const;
    sdk::Result<std::vector<AccessPath>> accesses_in(const Scope& scope) const;
    sdk::Result<bool> try_space_order(const std::vector<const SpaceIndex*>& indexes);
    sdk::Result<bool> try_scope(const Scope& scope);
    sdk::Result<bool> try_bounds(const Scope& scope);
    void use_space_order(const Scope& scope, std::unique_ptr<CandidateSource> source,
                         std::vector<sdk::KeyRange> total_ranges);
    void describe(const SpaceIndex& index);

    sdk::Result<bool> has_exact_numbers(const std::string& prefix) const;
    /// How many records have a value of each kind that the field may have directly.
    struct DirectValues {
        std::int64_t all = 0;
        std::int64_t numbers = 0;
    };
    sdk::Result<DirectValues> count_values(std::string_view path, std::uint64_t field) const;
    sdk::Result<std::vector<OrderedEntries>> order_entries() const;
    sdk::Result<void> add_numbers_as_texts(const std::string& prefix,
                                           std::vector<OrderedEntries>& entries) const;
    sdk::Result<bool> try_order(const LivePath* counted);

    // query_plan_paths.cpp
    sdk::Result<void> choose_path(const std::vector<const SpaceIndex*>& indexes);
    sdk::Result<std::vector<std::string>> field_entries(std::string_view path) const;
    sdk::Result<std::optional<std::uint64_t>> field_number(std::string_view path) const;
    sdk::Result<std::vector<LivePath>> live_paths(const std::vector<AccessPath>& accesses);
    sdk::Result<void> count_entries(std::vector<LivePath>& paths);
    sdk::Result<void> count_up_to(LivePath& path, std::uint64_t limit);
    void note_seen(LivePath& path, const IndexRange& range, std::string_view key);
    bool is_exact(const LivePath& path, const IndexRange& range) const;
    static bool is_in_order(const LivePath& path);
    static std::vector<sdk::KeyRange> keys_of(const LivePath& path);
    bool answers_exactly(const LivePath& path) const;
    sdk::Result<void> use_path(LivePath& path);
    sdk::Result<void> collect(const LivePath& path, std::vector<ListedCandidate>& list);
    sdk::Result<void> collect_ids(const AccessPath& access,
                                  std::vector<ListedCandidate>& list) const;
    sdk::Result<void> collect_over_indexed(std::vector<ListedCandidate>& list);
    void use_collection();
    void use_visible_list();
    bool prefers_visible_list(std::uint64_t candidates) const;

    const PlanRequest& request_;
    RunCost& cost_;
    QueryPlan plan_;
    std::vector<const Query::Node*> conditions_;
    std::uint64_t rows_ = 0;
    std::uint64_t over_indexed_ = 0;
    /// By all paths together.
    std::size_t seen_ = 0;
    QueryTime time_;
};

}  // namespace stele::kernel::storage
