#include "kernel/storage/query/query_plan.hpp"

#include <array>

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

sdk::Result<Planner::DirectValues> Planner::count_values(std::string_view path,
                                                         std::uint64_t field) const {
    DirectValues values;
    const auto add = [&values](IndexKind kind, std::int64_t count) {
        values.all += count;
        if (kind == IndexKind::number) values.numbers += count;
    };
    constexpr std::array kKinds{IndexKind::text, IndexKind::number, IndexKind::flag};
    for (const IndexKind kind : kKinds) {
        const auto count = counter(field_counter(request_.collection, field, kind));
        if (!count) return count.error();
        add(kind, *count);
    }
    if (!is_of_shape(path)) return values;
    const std::string shapes = shape_counters(request_.collection);
    const auto cursor =
        request_.reader.scan({shapes, sdk::prefix_end(shapes)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const std::string_view shape = cursor->key().substr(shapes.size());
        for (const IndexKind kind : kKinds) {
            if (is_in_shape(shape, field, kind))
                add(kind, sdk::read_counter(std::string(cursor->value())));
        }
    }
    if (auto status = cursor->status(); !status) return status.error();
    return values;
}

/// The plain numbers below a prefix: those with as many digits before the fraction are in order.
sdk::Result<void> Planner::add_numbers_as_texts(const std::string& prefix,
                                                std::vector<OrderedEntries>& entries) const {
    const auto at = [&prefix](double value) { return sdk::KeyWriter(prefix).real(value).key(); };
    const auto cursor =
        request_.reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    double end = 10;
    std::string begin = prefix;
    while (cursor->is_valid()) {
        const auto number = sdk::KeyReader(cursor->key().substr(prefix.size())).real();
        for (; end <= number.value_or(0); end *= 10)
            begin = at(end);
        entries.push_back({prefix, {begin, at(end)}, true});
        begin = at(end);
        cursor->seek(begin);
    }
    return cursor->status();
}

/// The entries that have every record once, in the order that is wanted; none where some have no
/// such entry.
sdk::Result<std::vector<OrderedEntries>> Planner::order_entries() const {
    std::vector<OrderedEntries> entries;
    if (!is_plain_order() || over_indexed_ != 0 || rows_ == 0) return entries;
    // The order is complete as long as all records have the member.
    if (const auto rows = counter(record_counter(request_.collection)); !rows) return rows.error();
    const std::string& path = request_.page.sort.front().field;
    const auto field = field_number(path);
    if (!field) return field.error();
    if (!*field) return entries;
    const auto values = count_values(path, **field);
    if (!values) return values.error();
    if (static_cast<std::uint64_t>(values->all) != rows_) return entries;
    const auto prefixes = field_entries(path);
    if (!prefixes) return prefixes.error();
    const auto of = [](const std::string& prefix, IndexKind kind) {
        return prefix + static_cast<char>(kind);
    };
    const bool is_by_value = request_.numeric_sort && values->numbers != 0;
    if (is_by_value && values->numbers != values->all) return entries;
    for (const std::string& prefix : *prefixes) {
        if (is_by_value) {
            const auto is_exact = has_exact_numbers(of(prefix, IndexKind::number));
            if (!is_exact) return is_exact.error();
            if (!*is_exact) return std::vector<OrderedEntries>();
            for (const IndexKind kind : {IndexKind::number, IndexKind::plain_number})
                entries.push_back(OrderedEntries::of(of(prefix, kind)));
            continue;
        }
        for (const IndexKind kind : {IndexKind::text, IndexKind::number_text, IndexKind::flag})
            entries.push_back(OrderedEntries::of(of(prefix, kind)));
        if (values->numbers == 0) continue;
        auto added = add_numbers_as_texts(of(prefix, IndexKind::plain_number), entries);
        if (!added) return added.error();
    }
    return entries;
}

sdk::Result<bool> Planner::try_order(const LivePath* counted) {
    auto entries = order_entries();
    if (!entries) return entries.error();
    if (entries->empty()) return false;
    const sdk::SortKey& key = request_.page.sort.front();
    const bool is_exact = conditions_.empty();
    plan_.access = "order";
    plan_.fields = {key.field};
    plan_.source =
        ordered_source(request_.reader, *std::move(entries), key.ascending, is_exact, cost_);
    plan_.is_ordered = true;
    if (counted != nullptr) plan_.total_ranges = keys_of(*counted);
    return true;
}

}  // namespace stele::kernel::storage
