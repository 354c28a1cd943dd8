#include "kernel/storage/query/query_plan_access.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <re2/re2.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/text.hpp>

#include "kernel/storage/index/composite_index.hpp"
#include "kernel/storage/index/index_entries.hpp"
#include "kernel/storage/query/query_node.hpp"

namespace stele::kernel::storage {

namespace {

using Node = Query::Node;
using MaybeAccess = std::optional<AccessPath>;

bool is_exact_number(const sdk::Json& number) {
    return std::abs(number.get<double>()) < kExactIntegers;
}

bool is_bound(QueryOperator operation) {
    return operation == QueryOperator::greater || operation == QueryOperator::greater_or_equal ||
           operation == QueryOperator::less || operation == QueryOperator::less_or_equal;
}

const char* name_of(QueryOperator operation) {
    switch (operation) {
        case QueryOperator::greater:
            return "$gt";
        case QueryOperator::greater_or_equal:
            return "$gte";
        case QueryOperator::less:
            return "$lt";
        case QueryOperator::less_or_equal:
            return "$lte";
        case QueryOperator::in:
            return "$in";
        case QueryOperator::all:
            return "$all";
        case QueryOperator::regex:
            return "$regex";
        default:
            return "$eq";
    }
}

IndexRange one_value(std::string key, bool is_exact) {
    std::string end = sdk::prefix_end(key);
    return {{std::move(key), std::move(end)}, is_exact, true};
}

constexpr bool is_cut(IndexKind kind) {
    return kind == IndexKind::cut_text || kind == IndexKind::cut_item;
}

constexpr bool is_long(IndexKind kind) {
    return is_cut(kind) || kind == IndexKind::long_text || kind == IndexKind::long_item;
}

/// What an entry of the kind has of a text.
std::string_view text_in(IndexKind kind, std::string_view text) {
    if (is_cut(kind)) return cut_text(text);
    return is_long(kind) ? indexed_text(text) : text;
}

using Kinds = std::vector<IndexKind>;

/// The entries of one field.
class FieldEntries {
public:
    FieldEntries(const std::vector<std::string>& prefixes, bool is_automatic)
        : prefixes_(prefixes), is_automatic_(is_automatic) {}

    /// Calls `add` with a kind and what its entries begin with.
    template <class Add>
    void each(const Kinds& kinds, const Add& add) const {
        for (const std::string& prefix : prefixes_) {
            for (const IndexKind kind : kinds)
                add(kind, sdk::KeyWriter(prefix).tag(static_cast<char>(kind)).key());
        }
    }

    Kinds numbers() const {
        Kinds kinds{IndexKind::number, IndexKind::number_item};
        if (is_automatic_) kinds.push_back(IndexKind::plain_number);
        return kinds;
    }
    Kinds long_texts() const {
        Kinds kinds{IndexKind::long_text, IndexKind::long_item};
        if (is_automatic_) kinds.insert(kinds.end(), {IndexKind::cut_text, IndexKind::cut_item});
        return kinds;
    }
    Kinds texts() const {
        Kinds kinds = long_texts();
        kinds.insert(kinds.begin(), {IndexKind::text, IndexKind::item});
        return kinds;
    }

    /// False when the value is of a type that has no entries.
    bool add_equal(const sdk::Json& value, std::vector<IndexRange>& ranges) const {
        if (value.is_boolean()) {
            const char* text = value.get<bool>() ? "true" : "false";
            each({IndexKind::flag, IndexKind::flag_item}, [&](IndexKind, const std::string& begin) {
                ranges.push_back(one_value(sdk::KeyWriter(begin).text(text).key(), true));
            });
        } else if (value.is_number()) {
            each(numbers(), [&](IndexKind, const std::string& begin) {
                ranges.push_back(one_value(sdk::KeyWriter(begin).real(value.get<double>()).key(),
                                           is_exact_number(value)));
            });
        } else if (value.is_string()) {
            add_equal(value.get_ref<const std::string&>(), ranges);
        } else {
            return false;
        }
        return true;
    }

    void add_prefix(std::string_view text, std::vector<IndexRange>& ranges) const {
        each(texts(), [&](IndexKind kind, const std::string& begin) {
            std::string key = sdk::KeyWriter(begin)
                                  .text(is_cut(kind) ? cut_text(text) : indexed_text(text))
                                  .key();
            key.pop_back();  // the end of the text: what begins like it is wanted, too
            std::string end = sdk::prefix_end(key);
            ranges.push_back({{std::move(key), std::move(end)}, false, false});
        });
    }

private:
    void add_equal(const std::string& text, std::vector<IndexRange>& ranges) const {
        const bool is_short = text.size() <= kIndexedTextSize;
        each(is_short ? Kinds{IndexKind::text, IndexKind::item} : long_texts(),
             [&](IndexKind kind, const std::string& begin) {
                 ranges.push_back(
                     one_value(sdk::KeyWriter(begin).text(text_in(kind, text)).key(), is_short));
             });
    }

    const std::vector<std::string>& prefixes_;
    const bool is_automatic_;
};

/// Narrows the entries of one kind to what fulfils a bound.
void narrow(sdk::KeyRange& range, const std::string& value_key, QueryOperator operation) {
    const bool is_strict = operation == QueryOperator::greater || operation == QueryOperator::less;
    const bool is_lower =
        operation == QueryOperator::greater || operation == QueryOperator::greater_or_equal;
    if (is_lower) {
        range.begin = std::max(range.begin, is_strict ? sdk::prefix_end(value_key) : value_key);
    } else {
        range.end = std::min(range.end, is_strict ? value_key : sdk::prefix_end(value_key));
    }
}

QueryOperator inclusive(QueryOperator operation) {
    if (operation == QueryOperator::greater) return QueryOperator::greater_or_equal;
    if (operation == QueryOperator::less) return QueryOperator::less_or_equal;
    return operation;
}

/// The range of one kind that bounds of one type leave. Different elements of an array may fulfil
/// different bounds, so only the first bound limits the items.
IndexRange bounded(IndexKind kind, const std::string& prefix,
                   const std::vector<const Node*>& bounds) {
    const bool is_item = kind == IndexKind::item || kind == IndexKind::long_item ||
                         kind == IndexKind::cut_item || kind == IndexKind::number_item;
    IndexRange range{{prefix, sdk::prefix_end(prefix)}, !is_long(kind), false};
    for (const Node* bound : bounds) {
        const sdk::Json& operand = bound->operand;
        sdk::KeyWriter key(prefix);
        QueryOperator operation = bound->operation;
        if (operand.is_number()) {
            key.real(operand.get<double>());
            if (!is_exact_number(operand)) {
                range.is_exact = false;
                operation = inclusive(operation);
            }
        } else {
            const auto& text = operand.get_ref<const std::string&>();
            key.text(text_in(kind, text));
            if (is_long(kind)) operation = inclusive(operation);
        }
        narrow(range.keys, key.key(), operation);
        if (is_item) break;
    }
    if (is_item && bounds.size() > 1) range.is_exact = false;
    if (range.keys.end < range.keys.begin) range.keys.end = range.keys.begin;
    return range;
}

/// What a text must begin with to match; empty when the pattern does not say.
std::string literal_prefix(std::string_view pattern) {
    if (!pattern.starts_with('^') || pattern.find('|') != std::string_view::npos) return {};
    pattern.remove_prefix(1);
    static constexpr std::string_view kSpecial = "\\.+*?()[]{}^$";
    std::string prefix;
    std::size_t last = 0;  // where the last character begins
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        if (kSpecial.find(c) != std::string_view::npos) {
            const bool may_be_absent = c == '*' || c == '?' || c == '{';
            if (may_be_absent) prefix.resize(last);
            break;
        }
        if (!sdk::continues_character(c)) last = prefix.size();
        prefix.push_back(c);
    }
    return prefix;
}

bool same_type_bounds(const Node& a, const Node& b) {
    const bool are_texts = a.operand.is_string() && b.operand.is_string();
    const bool are_numbers = a.operand.is_number() && b.operand.is_number();
    return a.field == b.field && is_bound(a.operation) && is_bound(b.operation) &&
           (are_texts || are_numbers);
}

/// A copy of a condition on the elements of an array as one on the array's path.
Node on_path(const Node& node, const std::string& path) {
    Node copy = node;
    copy.field = node.field.empty() ? path : path + "." + node.field;
    return copy;
}

}  // namespace

std::vector<const Node*> conditions_of(const Node& root) {
    // $all is the conjunction of its equalities; without any it matches nothing.
    const bool is_conjunction = root.operation == QueryOperator::all_of ||
                                (root.operation == QueryOperator::all && !root.children.empty());
    if (!is_conjunction) return {&root};
    std::vector<const Node*> conditions;
    for (const Node& child : root.children) {
        const auto inner = conditions_of(child);
        conditions.insert(conditions.end(), inner.begin(), inner.end());
    }
    return conditions;
}

std::string exact_equality(const Node& node) {
    if (node.operation != QueryOperator::equal) return {};
    const sdk::Json& operand = node.operand;
    if (operand.is_boolean()) return equality_element(operand.get<bool>());
    if (operand.is_string()) {
        return equality_element(std::string_view(operand.get_ref<const std::string&>()));
    }
    if (operand.is_number() && is_exact_number(operand))
        return equality_element(operand.get<double>());
    return {};
}

sdk::Result<std::vector<AccessPath>> AccessFinder::find(
    const std::vector<const Node*>& conditions) const {
    std::vector<AccessPath> found;
    std::vector<bool> is_done(conditions.size(), false);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (is_done[i]) continue;
        std::vector<const Node*> bounds{conditions[i]};
        for (std::size_t j = i + 1; j < conditions.size(); ++j) {
            if (is_done[j] || !same_type_bounds(*conditions[i], *conditions[j])) continue;
            bounds.push_back(conditions[j]);
            is_done[j] = true;
        }
        auto access =
            is_bound(conditions[i]->operation) ? of_bounds(bounds) : of_condition(*conditions[i]);
        if (!access) return access.error();
        if (*access) found.push_back(std::move(**access));
    }
    return found;
}

void AccessFinder::describe(const Node& node, AccessPath& access) const {
    if (!explains_) return;
    access.conditions.push_back(node.field + " " + name_of(node.operation) + " " +
                                sdk::dump_json(node.operand));
}

sdk::Result<MaybeAccess> AccessFinder::of_condition(const Node& node) const {
    switch (node.operation) {
        case QueryOperator::equal:
        case QueryOperator::in:
            return of_values(node);
        case QueryOperator::regex:
            return of_prefix(node);
        case QueryOperator::any_of:
            return of_alternatives(node);
        case QueryOperator::element:
            return of_element(node);
        default:
            return MaybeAccess();
    }
}

sdk::Result<MaybeAccess> AccessFinder::of_values(const Node& node) const {
    std::vector<sdk::Json> values{node.operand};
    if (node.operation != QueryOperator::equal) {
        if (!node.operand.is_array()) return MaybeAccess();
        values.assign(node.operand.begin(), node.operand.end());
    }
    AccessPath access;
    access.covered = 1;
    describe(node, access);
    if (node.field == "_doc") {
        access.ids.emplace();
        for (const sdk::Json& value : values) {
            if (!value.is_string()) return MaybeAccess();
            access.ids->push_back(value.get<std::string>());
        }
        return MaybeAccess(std::move(access));
    }
    const auto prefixes = field_(node.field);
    if (!prefixes) return prefixes.error();
    if (prefixes->empty()) return MaybeAccess();
    access.is_one_equality = node.operation == QueryOperator::equal;
    const FieldEntries entries(*prefixes, is_automatic_);
    for (const sdk::Json& value : values) {
        if (!entries.add_equal(value, access.ranges)) return MaybeAccess();
    }
    return MaybeAccess(std::move(access));
}

sdk::Result<MaybeAccess> AccessFinder::of_prefix(const Node& node) const {
    const std::string prefix =
        node.expression ? literal_prefix(node.expression->pattern()) : std::string();
    if (prefix.empty()) return MaybeAccess();
    const auto prefixes = field_(node.field);
    if (!prefixes) return prefixes.error();
    if (prefixes->empty()) return MaybeAccess();
    AccessPath access;
    describe(node, access);
    FieldEntries(*prefixes, is_automatic_).add_prefix(prefix, access.ranges);
    return MaybeAccess(std::move(access));
}

sdk::Result<MaybeAccess> AccessFinder::of_bounds(const std::vector<const Node*>& bounds) const {
    const Node& first = *bounds.front();
    const bool is_text = first.operand.is_string();
    if (!is_text && !first.operand.is_number()) return MaybeAccess();
    const auto prefixes = field_(first.field);
    if (!prefixes) return prefixes.error();
    if (prefixes->empty()) return MaybeAccess();
    AccessPath access;
    access.covered = bounds.size();
    for (const Node* bound : bounds)
        describe(*bound, access);
    const FieldEntries entries(*prefixes, is_automatic_);
    entries.each(is_text ? entries.texts() : entries.numbers(),
                 [&](IndexKind kind, const std::string& begin) {
                     access.ranges.push_back(bounded(kind, begin, bounds));
                 });
    return MaybeAccess(std::move(access));
}

sdk::Result<MaybeAccess> AccessFinder::any_of_all(
    const std::vector<const Node*>& conditions) const {
    auto accesses = find(conditions);
    if (!accesses) return accesses.error();
    for (AccessPath& access : *accesses) {
        if (access.ids) continue;
        for (IndexRange& range : access.ranges) {
            range.is_exact = range.is_exact && access.covered == conditions.size();
        }
        return MaybeAccess(std::move(access));
    }
    return MaybeAccess();
}

sdk::Result<MaybeAccess> AccessFinder::of_alternatives(const Node& node) const {
    AccessPath joined;
    joined.covered = 1;
    for (const Node& child : node.children) {
        auto one = any_of_all(conditions_of(child));
        if (!one || !*one) return one;
        auto& ranges = (*one)->ranges;
        std::move(ranges.begin(), ranges.end(), std::back_inserter(joined.ranges));
        auto& conditions = (*one)->conditions;
        std::move(conditions.begin(), conditions.end(), std::back_inserter(joined.conditions));
    }
    return MaybeAccess(std::move(joined));
}

sdk::Result<MaybeAccess> AccessFinder::of_element(const Node& node) const {
    if (node.children.empty()) return MaybeAccess();
    std::vector<Node> moved;
    for (const Node* inner : conditions_of(node.children.front())) {
        // Deeper trees name fields at several levels; conditions on the elements suffice.
        if (inner->children.empty()) moved.push_back(on_path(*inner, node.field));
    }
    std::vector<const Node*> conditions;
    for (const Node& one : moved)
        conditions.push_back(&one);
    auto access = any_of_all(conditions);
    if (!access || !*access) return access;
    (*access)->covered = 0;
    return access;
}

}  // namespace stele::kernel::storage
