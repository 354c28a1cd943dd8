#include "values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "type_text.hpp"

namespace stele::graphql {

namespace {

using Kind = Value::Kind;

constexpr std::array<std::string_view, 6> kScalars{"String", "Int",     "Float",
                                                   "ID",     "Boolean", "JSON"};

bool is_32_bit(const sdk::Json& number) {
    using Limits = std::numeric_limits<std::int32_t>;
    const double value = number.get<double>();
    return value >= Limits::min() && value <= Limits::max() && std::floor(value) == value;
}

sdk::Json digits_value(const std::string& digits) {
    auto number = sdk::parse_json(digits);
    return number ? *std::move(number) : sdk::Json();
}

bool fits_scalar(const sdk::Json& value, std::string_view type) {
    if (type == "String") return value.is_string();
    if (type == "ID") return value.is_string() || value.is_number_integer();
    if (type == "Boolean") return value.is_boolean();
    if (type == "Int") return value.is_number() && is_32_bit(value);
    return type == "JSON" || value.is_number();
}

bool is_of_scalar(const Value& literal, std::string_view type) {
    switch (literal.kind) {
        case Kind::text:
            return type == "String" || type == "ID";
        case Kind::integer:
        case Kind::number: {
            const sdk::Json number = digits_value(literal.text);
            const bool is_whole = literal.kind == Kind::integer;
            if (type == "ID") return is_whole;
            if (type == "Int") return is_whole && number.is_number() && is_32_bit(number);
            return type == "Float" && number.is_number();
        }
        case Kind::boolean:
            return type == "Boolean";
        default:
            return false;
    }
}

std::string unfit(std::string_view type) {
    return "is no " + std::string(type);
}

/// Numbers beyond the range of a double have no value anywhere.
std::string json_literal_problem(const Value& literal) {
    if (literal.kind == Kind::integer || literal.kind == Kind::number)
        return digits_value(literal.text).is_null() ? unfit("JSON") : std::string();
    for (const Value& item : literal.items) {
        if (auto problem = json_literal_problem(item); !problem.empty()) return problem;
    }
    for (const NamedValue& member : literal.members) {
        if (auto problem = json_literal_problem(member.value); !problem.empty()) return problem;
    }
    return {};
}

std::optional<sdk::Json> variable_value(const Value& literal, const sdk::Json& variables) {
    const auto found = variables.find(literal.text);
    if (found == variables.end()) return std::nullopt;
    return *found;
}

sdk::Json json_value(const Value& literal, const sdk::Json& variables) {
    switch (literal.kind) {
        case Kind::variable:
            return variable_value(literal, variables).value_or(nullptr);
        case Kind::integer:
        case Kind::number:
            return digits_value(literal.text);
        case Kind::text:
        case Kind::enumerator:
            return literal.text;
        case Kind::boolean:
            return literal.text == "true";
        case Kind::null:
            return nullptr;
        case Kind::list: {
            sdk::Json items = sdk::Json::array();
            for (const Value& item : literal.items)
                items.push_back(json_value(item, variables));
            return items;
        }
        case Kind::object:
            break;
    }
    sdk::Json members = sdk::Json::object();
    for (const NamedValue& member : literal.members) {
        const Value& value = member.value;
        if (value.kind == Kind::variable && !variables.contains(value.text)) continue;
        members[member.name] = json_value(value, variables);
    }
    return members;
}

sdk::Json scalar_value(sdk::Json value, std::string_view type) {
    if (type == "ID" && value.is_number()) return sdk::dump_json(value);
    if (type == "Int" && value.is_number_float())
        return static_cast<std::int64_t>(value.get<double>());
    return value;
}

}  // namespace

bool is_input_type(std::string_view type) {
    return std::find(kScalars.begin(), kScalars.end(), named_type(type)) != kScalars.end();
}

std::string literal_problem(const Value& literal, std::string_view type) {
    if (literal.kind == Kind::variable) return {};
    if (literal.kind == Kind::null) return is_non_null(type) ? "must not be null" : "";
    type = nullable(type);
    if (type == "JSON") return json_literal_problem(literal);
    if (!is_list(type)) return is_of_scalar(literal, type) ? "" : unfit(type);
    if (literal.kind != Kind::list) return literal_problem(literal, item_type(type));
    for (const Value& item : literal.items) {
        if (auto problem = literal_problem(item, item_type(type)); !problem.empty()) return problem;
    }
    return {};
}

std::optional<sdk::Json> literal_value(const Value& literal, std::string_view type,
                                       const sdk::Json& variables) {
    if (literal.kind == Kind::variable) {
        auto value = variable_value(literal, variables);
        return value ? std::optional(input_value(*value, type)) : value;
    }
    if (literal.kind == Kind::null) return sdk::Json();
    type = nullable(type);
    if (!is_list(type)) return scalar_value(json_value(literal, variables), type);
    sdk::Json items = sdk::Json::array();
    if (literal.kind != Kind::list) {
        items.push_back(*literal_value(literal, item_type(type), variables));
        return items;
    }
    for (const Value& item : literal.items)
        items.push_back(literal_value(item, item_type(type), variables).value_or(nullptr));
    return items;
}

std::string input_problem(const sdk::Json& value, std::string_view type) {
    if (value.is_null()) return is_non_null(type) ? "must not be null" : "";
    type = nullable(type);
    if (!is_list(type)) return fits_scalar(value, type) ? "" : unfit(type);
    if (!value.is_array()) return input_problem(value, item_type(type));
    for (const sdk::Json& item : value) {
        if (auto problem = input_problem(item, item_type(type)); !problem.empty()) return problem;
    }
    return {};
}

sdk::Json input_value(const sdk::Json& value, std::string_view type) {
    if (value.is_null()) return value;
    type = nullable(type);
    if (!is_list(type)) return scalar_value(value, type);
    sdk::Json items = sdk::Json::array();
    if (!value.is_array()) {
        items.push_back(input_value(value, item_type(type)));
        return items;
    }
    for (const sdk::Json& item : value)
        items.push_back(input_value(item, item_type(type)));
    return items;
}

std::optional<sdk::Json> shown_value(const sdk::Json& value, std::string_view type) {
    const bool is_text = type == "String" || type == "ID";
    if (is_text && (value.is_number() || value.is_boolean())) return sdk::dump_json(value);
    const bool is_enumeration = std::find(kScalars.begin(), kScalars.end(), type) == kScalars.end();
    if (is_enumeration) return value;
    if (!fits_scalar(value, type)) return std::nullopt;
    return scalar_value(value, type);
}

std::size_t shown_size(const sdk::Json& value) {
    constexpr std::size_t kSmall = 8;
    if (value.is_string()) return kSmall + value.get_ref<const std::string&>().size();
    std::size_t size = kSmall;
    if (value.is_object()) {
        for (const auto& [name, member] : value.items())
            size += name.size() + shown_size(member);
    } else if (value.is_array()) {
        for (const sdk::Json& item : value)
            size += shown_size(item);
    }
    return size;
}

}  // namespace stele::graphql
