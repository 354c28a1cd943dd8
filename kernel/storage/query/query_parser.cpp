#include "kernel/storage/query/query_parser.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include <nlohmann/json.hpp>

namespace stele::kernel::storage {

using sdk::Json;
using Step = QueryProblems::Step;

namespace {

constexpr std::array<std::pair<std::string_view, QueryOperator>, 3> kLogical = {{
    {"$and", QueryOperator::all_of},
    {"$or", QueryOperator::any_of},
    {"$nor", QueryOperator::none_of},
}};

const QueryOperator* find_logical(std::string_view name) {
    const auto* const at = std::find_if(kLogical.begin(), kLogical.end(),
                                        [name](const auto& entry) { return entry.first == name; });
    return at == kLogical.end() ? nullptr : &at->second;
}

bool is_operator_name(std::string_view name) {
    return name.starts_with('$');
}

bool has_operators(const Json& value) {
    return value.is_object() &&
           std::any_of(value.items().begin(), value.items().end(),
                       [](const auto& member) { return is_operator_name(member.key()); });
}

/// Adds a child; what an `all_of` under an `all_of` asks for belongs to the outer one.
void adopt(QueryNode& parent, QueryNode&& child) {
    const bool is_merged =
        parent.operation == QueryOperator::all_of && child.operation == QueryOperator::all_of;
    if (!is_merged) {
        parent.children.push_back(std::move(child));
        return;
    }
    std::move(child.children.begin(), child.children.end(), std::back_inserter(parent.children));
}

/// An `all_of` of one condition is that condition.
QueryNode simplified(QueryNode&& node) {
    if (node.operation != QueryOperator::all_of || node.children.size() != 1)
        return std::move(node);
    QueryNode child = std::move(node.children.front());
    return child;
}

}  // namespace

struct QueryParser::Entry {
    std::string_view name;
    QueryOperator operation;
    Handler handler;
};

const QueryParser::Entry* QueryParser::find_operator(std::string_view name) {
    using enum QueryOperator;
    static constexpr std::array<Entry, 17> kEntries = {{
        {"$eq", equal, &QueryParser::compare},
        {"$ne", not_equal, &QueryParser::compare},
        {"$gt", greater, &QueryParser::compare},
        {"$gte", greater_or_equal, &QueryParser::compare},
        {"$lt", less, &QueryParser::compare},
        {"$lte", less_or_equal, &QueryParser::compare},
        {"$in", in, &QueryParser::list},
        {"$nin", not_in, &QueryParser::list},
        {"$exists", QueryOperator::exists, &QueryParser::exists},
        {"$type", QueryOperator::type, &QueryParser::type},
        {"$regex", QueryOperator::regex, &QueryParser::regex},
        {"$options", QueryOperator::regex, &QueryParser::options},
        {"$mod", QueryOperator::modulo, &QueryParser::modulo},
        {"$all", QueryOperator::all, &QueryParser::all},
        {"$size", QueryOperator::size, &QueryParser::size},
        {"$elemMatch", QueryOperator::element, &QueryParser::element},
        {"$not", QueryOperator::negation, &QueryParser::negation},
    }};
    const auto* const at = std::find_if(kEntries.begin(), kEntries.end(),
                                        [name](const Entry& entry) { return entry.name == name; });
    return at == kEntries.end() ? nullptr : at;
}

bool is_known_operator(std::string_view name) {
    static constexpr std::array<std::string_view, 20> kNames = {
        "$eq",   "$ne",        "$gt",   "$gte",   "$lt",      "$lte", "$in",
        "$nin",  "$exists",    "$type", "$regex", "$options", "$mod", "$all",
        "$size", "$elemMatch", "$and",  "$or",    "$nor",     "$not"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

QueryNode QueryParser::parse(const Json& query) {
    QueryNode root;
    if (!query.is_object()) {
        problems_.add("document_invalid", "a query is an object");
        return root;
    }
    if (check_bounds(query, 1)) members(query, root, true);
    return root;
}

// Comes first, so that everything behind it may recurse.
bool QueryParser::check_bounds(const Json& value, int depth) {
    if (++values_ > kMaxValues) {
        problems_.add("document_too_large", "more than " + std::to_string(kMaxValues) +
                                                " values, lists and objects in all");
        return false;
    }
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
        problems_.add("operand_invalid", "the number is not finite");
        return false;
    }
    if (!value.is_structured()) return true;
    if (depth > kMaxDepth) {
        problems_.add("document_too_deep", "nested deeper than " + std::to_string(kMaxDepth));
        return false;
    }
    std::size_t index = 0;
    for (const auto& member : value.items()) {
        const Step step(problems_, value.is_object() ? member.key() : std::to_string(index++));
        if (!check_bounds(member.value(), depth + 1)) return false;
    }
    return true;
}

void QueryParser::members(const Json& document, QueryNode& parent, bool is_top) {
    for (const auto& member : document.items()) {
        const std::string& name = member.key();
        if (is_top && name == "_fields") continue;
        const Step step(problems_, name);
        if (is_operator_name(name)) {
            logical(name, member.value(), parent);
        } else if (is_field(name)) {
            condition(name, member.value(), parent);
        }
    }
}

void QueryParser::logical(const std::string& name, const Json& operand, QueryNode& parent) {
    const QueryOperator* const operation = find_logical(name);
    if (operation == nullptr) {
        if (is_known_operator(name)) {
            problems_.add("operator_misplaced", name + " belongs under the name of a field");
        } else {
            problems_.add("operator_unknown", "there is no operator " + name);
        }
        return;
    }
    if (!operand.is_array() || operand.empty()) {
        problems_.add("operand_invalid", name + " takes an array of at least one query");
        return;
    }
    QueryNode node;
    node.operation = *operation;
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const Step step(problems_, std::to_string(i));
        if (!operand[i].is_object()) {
            problems_.add("operand_invalid", name + " takes an array of queries");
            continue;
        }
        QueryNode child;
        members(operand[i], child, false);
        adopt(node, simplified(std::move(child)));
    }
    adopt(parent, std::move(node));
}

void QueryParser::condition(const std::string& field, const Json& operand, QueryNode& parent) {
    if (has_operators(operand)) {
        operators(field, operand, parent);
    } else if (is_value(operand)) {
        add_leaf({field, operand, parent}, QueryOperator::equal, operand);
    }
}

void QueryParser::operators(const std::string& field, const Json& object, QueryNode& parent) {
    for (const auto& member : object.items()) {
        const std::string& name = member.key();
        const Step step(problems_, name);
        if (const Entry* const entry = find_operator(name)) {
            (this->*entry->handler)({field, object, parent}, entry->operation, member.value());
        } else if (!is_operator_name(name)) {
            problems_.add("operator_misplaced",
                          "operators and members of a value stand side by side");
        } else if (find_logical(name) != nullptr) {
            problems_.add("operator_misplaced", name + " stands at the top, beside the fields");
        } else {
            problems_.add("operator_unknown", "there is no operator " + name);
        }
    }
}

bool QueryParser::is_field(std::string_view name) {
    const bool has_gap = name.empty() || name.front() == '.' || name.back() == '.' ||
                         name.find("..") != std::string_view::npos;
    if (has_gap) problems_.add("field_invalid", "the name of a field has an empty part");
    if (name.size() > kMaxFieldLength)
        problems_.add("field_invalid", "the name of a field is longer than 1024 bytes");
    return !has_gap && name.size() <= kMaxFieldLength;
}

// An operator deep inside a value would be compared as a member of that name, and never match.
bool QueryParser::is_value(const Json& value) {
    if (!value.is_structured()) return true;
    bool is_good = true;
    std::size_t index = 0;
    for (const auto& member : value.items()) {
        const Step step(problems_, value.is_object() ? member.key() : std::to_string(index++));
        if (value.is_object() && is_known_operator(member.key())) {
            problems_.add("operator_misplaced",
                          member.key() +
                              " inside a value that is compared as a whole; name the "
                              "field with dots instead");
            is_good = false;
        } else {
            is_good = is_value(member.value()) && is_good;
        }
    }
    return is_good;
}

QueryNode& QueryParser::add_leaf(const Place& place, QueryOperator operation, Json operand) {
    if (++conditions_ > kMaxConditions && !has_overflowed_) {
        has_overflowed_ = true;
        problems_.add("document_too_large",
                      "more than " + std::to_string(kMaxConditions) + " conditions");
    }
    QueryNode& node = place.parent.children.emplace_back();
    node.operation = operation;
    node.field = place.field;
    node.operand = std::move(operand);
    return node;
}

void QueryParser::element(const Place& place, QueryOperator operation, const Json& operand) {
    if (!operand.is_object()) {
        problems_.add("operand_invalid", "$elemMatch takes an object");
        return;
    }
    QueryNode child;
    const bool takes_values =
        std::any_of(operand.items().begin(), operand.items().end(),
                    [](const auto& member) { return find_operator(member.key()) != nullptr; });
    if (takes_values) {
        operators({}, operand, child);
    } else {
        members(operand, child, false);
    }
    QueryNode& node = add_leaf(place, operation, nullptr);
    node.takes_values = takes_values;
    node.children.push_back(simplified(std::move(child)));
}

void QueryParser::negation(const Place& place, QueryOperator operation, const Json& operand) {
    if (!has_operators(operand)) {
        problems_.add("operand_invalid", "$not takes an object with operators");
        return;
    }
    QueryNode node;
    node.operation = operation;
    QueryNode child;
    operators(place.field, operand, child);
    node.children.push_back(simplified(std::move(child)));
    place.parent.children.push_back(std::move(node));
}

}  // namespace stele::kernel::storage
