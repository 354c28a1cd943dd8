// The operators of the query language, each with what it takes.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/regex_weight.hpp>

#include "kernel/storage/query/query_parser.hpp"
#include "kernel/storage/query/query_regex.hpp"
#include "kernel/storage/query/query_scalar.hpp"

namespace stele::kernel::storage {

using sdk::Json;
using Step = QueryProblems::Step;

namespace {

struct TypeName {
    std::string_view name;
    std::optional<int> number;
};

// MongoDB's, also those that no JSON value has: asking for them is right and finds nothing.
constexpr std::array<TypeName, 22> kTypes = {{
    {"double", 1},
    {"string", 2},
    {"object", 3},
    {"array", 4},
    {"binData", 5},
    {"undefined", 6},
    {"objectId", 7},
    {"bool", 8},
    {"date", 9},
    {"null", 10},
    {"regex", 11},
    {"dbPointer", 12},
    {"javascript", 13},
    {"symbol", 14},
    {"javascriptWithScope", 15},
    {"int", 16},
    {"timestamp", 17},
    {"long", 18},
    {"decimal", 19},
    {"minKey", -1},
    {"maxKey", 127},
    {"number", std::nullopt},
}};

/// An integer that was also allowed to be written as `2.0`.
std::optional<std::int64_t> whole_number(const Json& value) {
    if (!value.is_number()) return std::nullopt;
    const Number number = Scalar::of(value).number;
    const auto whole = truncated(number);
    if (!whole || compare(Number::of(*whole), number) != 0) return std::nullopt;
    return whole;
}

std::optional<std::string_view> type_name(const Json& value) {
    const auto number = whole_number(value);
    const auto* const text = value.get_ptr<const std::string*>();
    const auto* const at = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& type) {
        if (text != nullptr) return type.name == *text;
        return number && type.number && *number == *type.number;
    });
    if (at == kTypes.end()) return std::nullopt;
    return at->name;
}

bool is_element_match(const Json& value) {
    return value.is_object() && value.size() == 1 && value.contains("$elemMatch");
}

}  // namespace

void QueryParser::compare(const Place& place, QueryOperator operation, const Json& operand) {
    const bool takes_structures =
        operation == QueryOperator::equal || operation == QueryOperator::not_equal;
    if (operand.is_structured() && !takes_structures) {
        problems_.add("operand_invalid", "compares with a string, number, boolean or null only");
        return;
    }
    if (is_value(operand)) add_leaf(place, operation, operand);
}

void QueryParser::list(const Place& place, QueryOperator operation, const Json& operand) {
    if (!operand.is_array()) {
        problems_.add("operand_invalid", "takes an array of values");
        return;
    }
    if (operand.size() > kMaxListed) {
        problems_.add("document_too_large",
                      "more than " + std::to_string(kMaxListed) + " values in a list");
        return;
    }
    if (!is_value(operand)) return;
    Json& sorted = add_leaf(place, operation, operand).operand;
    std::stable_sort(sorted.begin(), sorted.end(), operand_less);
}

void QueryParser::all(const Place& place, QueryOperator operation, const Json& operand) {
    if (!operand.is_array()) {
        problems_.add("operand_invalid", "$all takes an array");
        return;
    }
    Json values = Json::array();
    for (std::size_t i = 0; i < operand.size(); ++i) {
        const Step step(problems_, std::to_string(i));
        if (is_element_match(operand[i])) {
            const Step inner(problems_, "$elemMatch");
            element(place, QueryOperator::element, *operand[i].begin());
        } else if (is_value(operand[i])) {
            values.push_back(operand[i]);
        }
    }
    if (values.empty() && !operand.empty()) return;
    QueryNode node;
    for (const Json& value : values)
        add_leaf({place.field, value, node}, QueryOperator::equal, value);
    add_leaf(place, operation, std::move(values)).children = std::move(node.children);
}

void QueryParser::exists(const Place& place, QueryOperator operation, const Json& operand) {
    const auto number = whole_number(operand);
    if (operand.is_boolean()) {
        add_leaf(place, operation, operand);
    } else if (number == 0 || number == 1) {
        add_leaf(place, operation, number == 1);
    } else {
        problems_.add("operand_invalid", "$exists takes true or false");
    }
}

void QueryParser::type(const Place& place, QueryOperator operation, const Json& operand) {
    const Json given = operand.is_array() ? operand : Json::array({operand});
    Json names = Json::array();
    for (const Json& value : given) {
        if (const auto name = type_name(value)) {
            names.push_back(std::string(*name));
        } else {
            problems_.add("operand_invalid",
                          "$type takes the name or number of a type, or an array of them");
            return;
        }
    }
    if (names.empty()) {
        problems_.add("operand_invalid", "$type takes at least one type");
        return;
    }
    add_leaf(place, operation, std::move(names));
}

void QueryParser::regex(const Place& place, QueryOperator operation, const Json& operand) {
    const auto* const pattern = operand.get_ptr<const std::string*>();
    if (pattern == nullptr) {
        problems_.add("operand_invalid", "$regex takes a string");
        return;
    }
    if (++expressions_ > kMaxExpressions) {
        problems_.add("document_too_large",
                      "more than " + std::to_string(kMaxExpressions) + " regular expressions");
        return;
    }
    weight_ += sdk::regex_weight(*pattern);
    if (weight_ > sdk::kMaxRegexWeight) {
        problems_.add("document_too_large",
                      "its regular expressions are too many, too long or repeat too much together");
        return;
    }
    const auto given = place.object.find("$options");
    const auto* const letters =
        given == place.object.end() ? nullptr : given->get_ptr<const std::string*>();
    CompiledRegex compiled = compile_regex(*pattern, letters == nullptr ? "" : *letters);
    if (!compiled.expression) {
        problems_.add("regex_invalid", std::move(compiled.problem));
        return;
    }
    add_leaf(place, operation, operand).expression = std::move(compiled.expression);
}

void QueryParser::options(const Place& place, QueryOperator, const Json& operand) {
    if (!operand.is_string()) {
        problems_.add("operand_invalid", "$options takes a string");
    } else if (!place.object.contains("$regex")) {
        problems_.add("operator_misplaced", "$options belongs to $regex");
    }
}

void QueryParser::modulo(const Place& place, QueryOperator operation, const Json& operand) {
    constexpr const char* kProblem = "$mod takes an array of two integers, the first of them not 0";
    const bool is_pair = operand.is_array() && operand.size() == 2;
    const auto divisor = is_pair ? whole_number(operand[0]) : std::nullopt;
    const auto remainder = is_pair ? whole_number(operand[1]) : std::nullopt;
    if (!divisor || !remainder || *divisor == 0) {
        problems_.add("operand_invalid", kProblem);
        return;
    }
    add_leaf(place, operation, Json::array({*divisor, *remainder}));
}

void QueryParser::size(const Place& place, QueryOperator operation, const Json& operand) {
    const auto count = whole_number(operand);
    if (!count || *count < 0) {
        problems_.add("operand_invalid", "$size takes a count, 0 or more");
        return;
    }
    add_leaf(place, operation, static_cast<std::uint64_t>(*count));
}

}  // namespace stele::kernel::storage
