#include <algorithm>

#include "kernel/storage/query/query_node.hpp"
#include "kernel/storage/query/query_plan.hpp"
#include "kernel/storage/query/query_run.hpp"
#include "kernel/storage/record/collection_rules.hpp"

namespace stele::kernel::storage {

namespace {

constexpr std::size_t kMaxAdvisedEqualities = 2;
// The last field of an index in creation order; no member has that path.
constexpr std::string_view kCreation;

bool serves(const CompositeIndexState& index, const std::vector<std::string>& equality_fields,
            const std::string& sort_field, bool is_numeric) {
    if (index.is_numeric != is_numeric || index.fields.back() != sort_field) return false;
    std::vector<std::string> fields(index.fields.begin(), index.fields.end() - 1);
    std::sort(fields.begin(), fields.end());
    return fields == equality_fields;
}

}  // namespace

std::optional<std::vector<std::string>> Planner::equality_fields() const {
    std::vector<std::string> fields;
    for (const Query::Node* condition : conditions_) {
        const bool fits = condition->field != "_doc" && is_unambiguous_path(condition->field) &&
                          !exact_equality(*condition).empty();
        if (!fits) return std::nullopt;
        fields.push_back(condition->field);
    }
    std::sort(fields.begin(), fields.end());
    if (std::adjacent_find(fields.begin(), fields.end()) != fields.end()) return std::nullopt;
    return fields;
}

std::string Planner::equality_of(const CompositeIndexState& index) const {
    std::string equality;
    for (std::size_t i = 0; i < index.equality_count(); ++i) {
        const auto condition =
            std::find_if(conditions_.begin(), conditions_.end(),
                         [&](const Query::Node* node) { return node->field == index.fields[i]; });
        equality += exact_equality(**condition);
    }
    return equality;
}

sdk::Result<bool> Planner::is_usable(const CompositeIndexState& index,
                                     const std::string& equality) const {
    const auto overflows = has_prefix(composite_overflow_prefix(request_.collection, index.number));
    if (!overflows) return overflows.error();
    if (*overflows) return false;
    const auto irregular =
        has_prefix(composite_prefix(request_.collection, index.number, equality) +
                   static_cast<char>(OrderClass::irregular));
    if (!irregular) return irregular.error();
    return !*irregular;
}

sdk::Result<bool> Planner::try_composite() {
    const sdk::SortKey key = request_.page.sort.empty() ? sdk::SortKey{std::string(kCreation), true}
                                                        : request_.page.sort.front();
    const bool is_by_creation = request_.page.sort.empty();
    const auto fields = equality_fields();
    if (!fields || (is_by_creation && fields->empty())) return false;
    if (!is_by_creation && !is_unambiguous_path(key.field)) return false;
    const bool is_numeric = request_.numeric_sort && !is_by_creation;
    const auto& all = request_.state.composites;
    const auto index = std::find_if(all.begin(), all.end(), [&](const CompositeIndexState& one) {
        return serves(one, *fields, key.field, is_numeric);
    });
    if (index == all.end()) {
        if (fields->size() > kMaxAdvisedEqualities) return false;
        plan_.advised = *fields;
        plan_.advised.push_back(key.field);
        plan_.advised_is_numeric = is_numeric;
        return false;
    }
    plan_.advised_is_building = !index->is_ready;
    if (!index->is_ready) return false;
    const std::string equality = equality_of(*index);
    const auto usable = is_usable(*index, equality);
    if (!usable || !*usable) return usable;
    const std::string row = composite_counter(request_.collection, index->number, equality);
    // Without a total it only tells the cost.
    const auto matches = is_everything() ? counter(row) : estimate(row);
    if (!matches) return matches.error();
    // A short list of visible records is cheaper than many matches that must be looked at.
    if (prefers_visible_list(static_cast<std::uint64_t>(*matches) / 4)) return false;
    plan_.access = "composite";
    plan_.fields = index->fields;
    plan_.is_ordered = true;
    if (is_everything()) plan_.total = static_cast<std::uint64_t>(*matches);
    const std::string entries = composite_prefix(request_.collection, index->number, equality);
    plan_.source =
        ordered_source(request_.reader, {OrderedEntries::of(entries)}, key.ascending, true, cost_);
    return true;
}

}  // namespace stele::kernel::storage
