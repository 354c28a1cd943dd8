#include "kernel/storage/query/query_match.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <re2/re2.h>
#include <simdjson.h>

#include "kernel/storage/query/query_scalar.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

namespace {

namespace dom = simdjson::dom;
using sdk::Json;

bool is_structured(dom::element value) {
    return value.is_object() || value.is_array();
}

/// `value` is no object or array.
Scalar scalar_of(dom::element value) {
    Scalar scalar;
    switch (value.type()) {
        case dom::element_type::BOOL:
            scalar.type = Scalar::Type::boolean;
            scalar.flag = bool(value);
            break;
        case dom::element_type::STRING:
            scalar.type = Scalar::Type::text;
            scalar.text = std::string_view(value);
            break;
        case dom::element_type::INT64:
            scalar.type = Scalar::Type::number;
            scalar.number = Number::of(std::int64_t(value));
            break;
        case dom::element_type::UINT64:
            scalar.type = Scalar::Type::number;
            scalar.number = Number::of(std::uint64_t(value));
            break;
        case dom::element_type::DOUBLE:
            scalar.type = Scalar::Type::number;
            scalar.number = Number::of(double(value));
            break;
        default:
            break;
    }
    return scalar;
}

bool equals(dom::element value, const Json& operand);

bool equals(dom::array value, const Json& operand) {
    auto expected = operand.begin();
    for (const dom::element item : value) {
        if (expected == operand.end() || !equals(item, *expected)) return false;
        ++expected;
    }
    return expected == operand.end();
}

bool equals(dom::object value, const Json& operand) {
    auto expected = operand.begin();
    for (const auto member : value) {
        if (expected == operand.end() || member.key != expected.key() ||
            !equals(member.value, *expected))
            return false;
        ++expected;
    }
    return expected == operand.end();
}

bool equals(dom::element value, const Json& operand) {
    if (value.is_array()) return operand.is_array() && equals(dom::array(value), operand);
    if (value.is_object()) return operand.is_object() && equals(dom::object(value), operand);
    if (operand.is_structured()) return false;
    const Scalar scalar = scalar_of(value);
    const Scalar expected = Scalar::of(operand);
    return scalar.type == expected.type && compare(scalar, expected) == 0;
}

bool is_listed(const Json& list, const Scalar& value) {
    const auto at = std::lower_bound(
        list.begin(), list.end(), value, [](const Json& operand, const Scalar& wanted) {
            return !operand.is_structured() && compare(Scalar::of(operand), wanted) < 0;
        });
    return at != list.end() && !at->is_structured() && compare(Scalar::of(*at), value) == 0;
}

bool names_type(const Json& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [name](const Json& wanted) {
        return wanted.get_ref<const std::string&>() == name;
    });
}

bool has_type(const Json& names, const Scalar& value) {
    switch (value.type) {
        case Scalar::Type::null:
            return names_type(names, "null");
        case Scalar::Type::boolean:
            return names_type(names, "bool");
        case Scalar::Type::text:
            return names_type(names, "string");
        case Scalar::Type::number:
            break;
    }
    if (names_type(names, "number")) return true;
    if (value.number.form == Number::Form::real) return names_type(names, "double");
    const std::int64_t integer = value.number.integer;
    const bool is_short = value.number.form == Number::Form::signed_integer &&
                          integer == static_cast<std::int32_t>(integer);
    return names_type(names, is_short ? "int" : "long");
}

bool has_remainder(const Json& operand, const Number& number) {
    const auto whole = truncated(number);
    if (!whole) return false;
    const auto divisor = operand[0].get<std::int64_t>();
    // The smallest integer divided by -1 would overflow.
    const std::int64_t remainder = divisor == -1 ? 0 : *whole % divisor;
    return remainder == operand[1].get<std::int64_t>();
}

bool is_in_order(QueryOperator operation, int order) {
    switch (operation) {
        case QueryOperator::greater:
            return order > 0;
        case QueryOperator::greater_or_equal:
            return order >= 0;
        case QueryOperator::less:
            return order < 0;
        case QueryOperator::less_or_equal:
            return order <= 0;
        default:
            return order == 0;
    }
}

/// For an object or array; negative operators as in `scalar_matches`.
bool structure_matches(const QueryNode& leaf, dom::element value) {
    switch (leaf.operation) {
        case QueryOperator::equal:
        case QueryOperator::not_equal:
            return equals(value, leaf.operand);
        case QueryOperator::in:
        case QueryOperator::not_in:
            return std::any_of(leaf.operand.begin(), leaf.operand.end(),
                               [value](const Json& operand) { return equals(value, operand); });
        case QueryOperator::exists:
            return true;
        case QueryOperator::type:
            return names_type(leaf.operand, value.is_array() ? "array" : "object");
        default:
            return false;
    }
}

bool value_matches(const QueryNode& leaf, dom::element value) {
    if (is_structured(value)) return structure_matches(leaf, value);
    const Scalar scalar = scalar_of(value);
    return scalar_matches(leaf, &scalar);
}

/// The index of an array that a part of a dotted name stands for.
std::optional<std::size_t> array_index(std::string_view part) {
    std::size_t index = 0;
    const char* const end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, index);
    const bool is_index =
        error == std::errc() && at == end && (part.size() == 1 || part.front() != '0');
    if (!is_index) return std::nullopt;
    return index;
}

/// Hands every value at a dotted path to `visit`, or nullptr for a missing one, until it answers
/// true. Arrays on the way stand for their elements; a number also for the element at its place.
template <class Visit>
bool any_at(dom::element value, std::string_view path, const Visit& visit) {
    if (path.empty()) return visit(&value);
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    const std::string_view rest =
        dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (value.is_object()) {
        dom::element member;
        if (dom::object(value).at_key(part).get(member)) return visit(nullptr);
        return any_at(member, rest, visit);
    }
    if (!value.is_array()) return visit(nullptr);
    const auto wanted = array_index(part);
    std::size_t index = 0;
    for (const dom::element item : dom::array(value)) {
        if (wanted == index++ && any_at(item, rest, visit)) return true;
        dom::element member;
        if (!item.is_object()) continue;
        if (!dom::object(item).at_key(part).get(member)) {
            if (any_at(member, rest, visit)) return true;
        } else if (!wanted && visit(nullptr)) {
            return true;
        }
    }
    return false;
}

bool evaluate(const QueryNode& node, dom::element value);

bool element_matches(const QueryNode& leaf, dom::element array) {
    for (const dom::element item : dom::array(array)) {
        if (!leaf.takes_values && !item.is_object()) continue;
        if (evaluate(leaf.children.front(), item)) return true;
    }
    return false;
}

/// Operators that look at an array as a whole, and only at that.
bool array_matches(const QueryNode& leaf, dom::element value) {
    if (leaf.operation == QueryOperator::element) return element_matches(leaf, value);
    return dom::array(value).size() == leaf.operand.get<std::uint64_t>();
}

bool leaf_matches(const QueryNode& leaf, dom::element value) {
    const bool is_of_element = leaf.field.empty();
    const bool is_of_array =
        leaf.operation == QueryOperator::element || leaf.operation == QueryOperator::size;
    return any_at(value, leaf.field, [&](const dom::element* found) {
        if (is_of_array)
            return found != nullptr && found->is_array() && array_matches(leaf, *found);
        if (found == nullptr) return scalar_matches(leaf, nullptr);
        if (value_matches(leaf, *found)) return true;
        if (is_of_element || !found->is_array()) return false;
        const dom::array items(*found);
        return std::any_of(items.begin(), items.end(),
                           [&leaf](const dom::element item) { return value_matches(leaf, item); });
    });
}

bool evaluate(const QueryNode& node, dom::element value) {
    const auto holds = [value](const QueryNode& child) { return evaluate(child, value); };
    const auto& children = node.children;
    switch (node.operation) {
        case QueryOperator::all_of:
            return std::all_of(children.begin(), children.end(), holds);
        case QueryOperator::any_of:
            return std::any_of(children.begin(), children.end(), holds);
        case QueryOperator::none_of:
            return std::none_of(children.begin(), children.end(), holds);
        case QueryOperator::negation:
            return !holds(children.front());
        case QueryOperator::all:
            return !children.empty() && std::all_of(children.begin(), children.end(), holds);
        default:
            return leaf_matches(node, value) != is_negative(node);
    }
}

}  // namespace

bool is_negative(const QueryNode& leaf) {
    return leaf.operation == QueryOperator::not_equal || leaf.operation == QueryOperator::not_in ||
           (leaf.operation == QueryOperator::exists && !leaf.operand.get<bool>());
}

bool scalar_matches(const QueryNode& leaf, const Scalar* value) {
    if (leaf.operation == QueryOperator::exists) return value != nullptr;
    if (leaf.operation == QueryOperator::type) return value && has_type(leaf.operand, *value);
    const Scalar given = value == nullptr ? Scalar() : *value;
    switch (leaf.operation) {
        case QueryOperator::in:
        case QueryOperator::not_in:
            return is_listed(leaf.operand, given);
        case QueryOperator::regex:
            return given.type == Scalar::Type::text &&
                   RE2::PartialMatch(re2::StringPiece(given.text.data(), given.text.size()),
                                     *leaf.expression);
        case QueryOperator::modulo:
            return given.type == Scalar::Type::number && has_remainder(leaf.operand, given.number);
        default:
            break;
    }
    if (leaf.operand.is_structured()) return false;
    const Scalar operand = Scalar::of(leaf.operand);
    return operand.type == given.type && is_in_order(leaf.operation, compare(given, operand));
}

bool matches_node(const QueryNode& node, std::string_view text) {
    static_assert(Record::kPadding >= simdjson::SIMDJSON_PADDING);
    thread_local dom::parser parser;
    dom::element root;
    if (parser.parse(text.data(), text.size(), false).get(root)) return false;
    return root.is_object() && evaluate(node, root);
}

}  // namespace stele::kernel::storage
