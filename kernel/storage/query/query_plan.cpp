#include "kernel/storage/query/query_plan.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/index/index_entries.hpp"
#include "kernel/storage/query/query_node.hpp"
#include "kernel/storage/query/query_run.hpp"
#include "kernel/storage/record/collection_rules.hpp"

namespace stele::kernel::storage {

sdk::Result<QueryPlan> Planner::make() {
    const auto rows = estimate(record_counter(request_.collection));
    if (!rows) return rows.error();
    const auto over_indexed = counter(over_indexed_counter(request_.collection));
    if (!over_indexed) return over_indexed.error();
    rows_ = static_cast<std::uint64_t>(*rows);
    over_indexed_ = static_cast<std::uint64_t>(*over_indexed);
    plan_.collection_rows = rows_;
    conditions_ = conditions_of(request_.query.root());

    if (is_plain_order() || request_.page.sort.empty()) {
        const auto composite = try_composite();
        if (!composite) return composite.error();
        if (*composite) return std::move(plan_);
    }
    const auto indexes = usable_indexes();
    if (!indexes) return indexes.error();
    const auto ordered_by_index = try_space_order(*indexes);
    if (!ordered_by_index) return ordered_by_index.error();
    if (*ordered_by_index) return std::move(plan_);
    if (!conditions_.empty()) {
        if (auto chosen = choose_path(*indexes); !chosen) return chosen.error();
        return std::move(plan_);
    }
    if (is_everything()) {
        if (auto counted = count_by_rows(); !counted) return counted.error();
    }
    if (prefers_visible_list(rows_)) {
        use_visible_list();
        return std::move(plan_);
    }
    const auto ordered = try_order(nullptr);
    if (!ordered) return ordered.error();
    if (!*ordered) use_collection();
    return std::move(plan_);
}

sdk::Result<std::int64_t> Planner::counter(const std::string& key) const {
    const auto stored = request_.reader.get(key);
    if (!stored) return stored.error();
    return sdk::read_counter(*stored);
}

sdk::Result<std::int64_t> Planner::estimate(const std::string& key) const {
    const auto stored = request_.reader.peek(key);
    if (!stored) return stored.error();
    return sdk::read_counter(*stored);
}

sdk::Result<void> Planner::count_by_rows() {
    const auto rows = counter(record_counter(request_.collection));
    if (!rows) return rows.error();
    plan_.total = static_cast<std::uint64_t>(*rows);
    return {};
}

sdk::Result<bool> Planner::has_entries(sdk::KeyRange range) const {
    if (range.begin >= range.end) return false;
    const auto cursor = request_.reader.scan(std::move(range), sdk::ScanDirection::forward);
    if (cursor->is_valid()) return true;
    if (auto status = cursor->status(); !status) return status.error();
    return false;
}

sdk::Result<bool> Planner::has_prefix(const std::string& prefix) const {
    return has_entries({prefix, sdk::prefix_end(prefix)});
}

bool Planner::is_plain_order() const {
    const sdk::SortOptions& options = request_.page.options;
    return request_.page.sort.size() == 1 && options.locale.empty() && !options.numeric_ordering &&
           options.case_first == sdk::CaseFirst::unspecified;
}

bool Planner::is_everything() const {
    return request_.visibility.is_everything;
}

bool Planner::prefers_visible_list(std::uint64_t candidates) const {
    const Visibility& visibility = request_.visibility;
    return !visibility.is_everything && visibility.only && visibility.only->size() <= candidates;
}

void Planner::use_collection() {
    plan_.access = "collection";
    plan_.source = record_source(request_.reader, request_.collection, conditions_.empty(), cost_);
    plan_.is_ordered = request_.page.sort.empty();
}

void Planner::use_visible_list() {
    std::vector<ListedCandidate> list;
    list.reserve(request_.visibility.only->size());
    for (const Sequence& sequence : *request_.visibility.only) {
        // Rights may name records that are gone meanwhile, so these too are looked at.
        if (sequence.size() == kSequenceSize) list.push_back(ListedCandidate::of(sequence, false));
    }
    plan_.access = "visible";
    plan_.source = list_source(std::move(list));
    plan_.is_visible_list = true;
    plan_.is_ordered = request_.page.sort.empty();
}

/// Whether no number of an index is so large that several integers share its double.
sdk::Result<bool> Planner::has_exact_numbers(const std::string& prefix) const {
    const auto at = [&](double value) { return sdk::KeyWriter(prefix).real(value).key(); };
    const auto low = has_entries({prefix, sdk::prefix_end(at(-kExactIntegers))});
    if (!low) return low;
    const auto high = has_entries({at(kExactIntegers), sdk::prefix_end(prefix)});
    if (!high) return high;
    return !*low && !*high;
}

sdk::Result<std::vector<std::string>> Planner::order_prefixes() const {
    std::vector<std::string> none;
    if (!is_plain_order() || over_indexed_ != 0 || rows_ == 0) return none;
    const CollectionId collection = request_.collection;
    // The order is complete as long as all records have the member.
    if (const auto rows = counter(record_counter(collection)); !rows) return rows.error();
    const auto field = field_number(request_.page.sort.front().field);
    if (!field) return field.error();
    if (!*field) return none;
    std::int64_t present = 0;
    std::int64_t numbers = 0;
    for (const auto kind : {IndexKind::text, IndexKind::number, IndexKind::flag}) {
        const auto count = counter(field_counter(collection, **field, kind));
        if (!count) return count.error();
        present += *count;
        if (kind == IndexKind::number) numbers = *count;
    }
    if (static_cast<std::uint64_t>(present) != rows_) return none;
    const auto prefix = [&](IndexKind kind) { return index_prefix(collection, **field, kind); };
    if (request_.numeric_sort && numbers != 0) {
        if (numbers != present) return none;
        const std::string by_value = prefix(IndexKind::number);
        const auto is_exact = has_exact_numbers(by_value);
        if (!is_exact) return is_exact.error();
        return *is_exact ? std::vector{by_value} : none;
    }
    return std::vector{prefix(IndexKind::text), prefix(IndexKind::number_text),
                       prefix(IndexKind::flag)};
}

sdk::Result<bool> Planner::try_order(const LivePath* counted) {
    const auto prefixes = order_prefixes();
    if (!prefixes) return prefixes.error();
    if (prefixes->empty()) return false;
    const sdk::SortKey& key = request_.page.sort.front();
    const bool is_exact = conditions_.empty();
    plan_.access = "order";
    plan_.fields = {key.field};
    plan_.source = ordered_source(request_.reader, *prefixes, key.ascending, is_exact, cost_);
    plan_.is_ordered = true;
    if (counted != nullptr) plan_.total_ranges = {counted->ranges.front()->keys};
    return true;
}

}  // namespace stele::kernel::storage
