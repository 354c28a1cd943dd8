#include "tests/support/naive_query.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/naive_pattern.hpp"

namespace stele::testing {

namespace {

using sdk::Json;
using Parts = std::vector<std::string>;
/// A null pointer stands for a missing value.
using Values = std::vector<const Json*>;

Parts split(const std::string& path) {
    Parts parts(1);
    for (const char c : path) {
        if (c == '.') {
            parts.emplace_back();
        } else {
            parts.back().push_back(c);
        }
    }
    return parts;
}

Parts tail(const Parts& parts) {
    return {parts.begin() + 1, parts.end()};
}

void collect(const Json& value, const Parts& parts, Values& values) {
    if (parts.empty()) return values.push_back(&value);
    const std::string& part = parts.front();
    if (value.is_object()) {
        if (!value.contains(part)) return values.push_back(nullptr);
        return collect(value.at(part), tail(parts), values);
    }
    if (!value.is_array()) return values.push_back(nullptr);
    bool is_number = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (std::to_string(i) == part) collect(value[i], tail(parts), values);
    }
    for (std::size_t i = 0; i < 100; ++i)
        is_number = is_number || std::to_string(i) == part;
    for (const Json& element : value) {
        if (!element.is_object()) continue;
        if (element.contains(part)) {
            collect(element.at(part), tail(parts), values);
        } else if (!is_number) {
            values.push_back(nullptr);
        }
    }
}

Values values_at(const Json& document, const std::string& path) {
    Values values;
    collect(document, split(path), values);
    return values;
}

/// Together with the elements of arrays.
Values with_elements(const Values& values) {
    Values all;
    for (const Json* const value : values) {
        all.push_back(value);
        if (value == nullptr || !value->is_array()) continue;
        for (const Json& element : *value)
            all.push_back(&element);
    }
    return all;
}

// 64 bits of mantissa hold every integer of 64 bits and every double.
long double number_of(const Json& value) {
    static_assert(std::numeric_limits<long double>::digits >= 64);
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    return value.get<double>();
}

bool is_equal(const Json& a, const Json& b) {
    if (a.is_number() && b.is_number()) return number_of(a) == number_of(b);
    if (a.type() != b.type()) return false;
    if (!a.is_structured()) return a == b;
    if (a.size() != b.size()) return false;
    auto other = b.begin();
    for (auto one = a.begin(); one != a.end(); ++one, ++other) {
        if (a.is_object() && one.key() != other.key()) return false;
        if (!is_equal(*one, *other)) return false;
    }
    return true;
}

bool equals(const Json* value, const Json& operand) {
    return value == nullptr ? operand.is_null() : is_equal(*value, operand);
}

/// -1, 0 or 1; 2 when the two do not compare.
int order(const Json* value, const Json& operand) {
    const Json given = value == nullptr ? Json() : *value;
    if (given.is_number() && operand.is_number()) {
        const long double a = number_of(given);
        const long double b = number_of(operand);
        return a < b ? -1 : a > b ? 1 : 0;
    }
    if (given.is_string() && operand.is_string()) {
        const auto sign = given.get<std::string>().compare(operand.get<std::string>());
        return sign < 0 ? -1 : sign > 0 ? 1 : 0;
    }
    if (given.is_boolean() && operand.is_boolean())
        return int(given.get<bool>()) - int(operand.get<bool>());
    return given.is_null() && operand.is_null() ? 0 : 2;
}

std::set<std::string> types_of(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null:
            return {"null"};
        case Json::value_t::boolean:
            return {"bool"};
        case Json::value_t::string:
            return {"string"};
        case Json::value_t::array:
            return {"array"};
        case Json::value_t::object:
            return {"object"};
        case Json::value_t::number_float:
            return {"number", "double"};
        default:
            break;
    }
    const long double number = number_of(value);
    return {"number", number >= -2147483648.0L && number <= 2147483647.0L ? "int" : "long"};
}

std::string type_name(const Json& type) {
    static const std::map<int, std::string> kNames = {{1, "double"}, {2, "string"}, {3, "object"},
                                                      {4, "array"},  {8, "bool"},   {10, "null"},
                                                      {16, "int"},   {18, "long"}};
    return type.is_string() ? type.get<std::string>() : kNames.at(type.get<int>());
}

bool has_type(const Json* value, const Json& operand) {
    if (value == nullptr) return false;
    for (const Json& type : operand.is_array() ? operand : Json::array({operand})) {
        if (types_of(*value).count(type_name(type)) != 0) return true;
    }
    return false;
}

bool has_remainder(const Json* value, const Json& operand) {
    if (value == nullptr || !value->is_number()) return false;
    const long double whole = truncl(number_of(*value));
    if (whole < -9223372036854775808.0L || whole >= 9223372036854775808.0L) return false;
    return fmodl(whole, number_of(operand[0])) == number_of(operand[1]);
}

bool satisfies(const Values& exact, const Values& spread, const std::string& name,
               const Json& operand, const Json& siblings);

/// All operators of `operators` for the values at one place.
bool satisfies_all(const Values& exact, const Values& spread, const Json& operators) {
    for (const auto& member : operators.items()) {
        if (!satisfies(exact, spread, member.key(), member.value(), operators)) return false;
    }
    return true;
}

template <class Check>
bool any(const Values& values, const Check& check) {
    for (const Json* const value : values) {
        if (check(value)) return true;
    }
    return false;
}

bool takes_values(const Json& conditions) {
    if (conditions.empty()) return false;
    const std::string name = conditions.begin().key();
    return name.front() == '$' && name != "$and" && name != "$or" && name != "$nor";
}

bool has_element(const Json* array, const Json& conditions) {
    if (array == nullptr || !array->is_array()) return false;
    for (const Json& element : *array) {
        if (takes_values(conditions)) {
            if (satisfies_all({&element}, {&element}, conditions)) return true;
        } else if (element.is_object() && naive_matches(conditions, element)) {
            return true;
        }
    }
    return false;
}

bool has_all(const Values& exact, const Values& spread, const Json& operand) {
    for (const Json& wanted : operand) {
        const bool is_element = wanted.is_object() && wanted.contains("$elemMatch");
        if (!satisfies(exact, spread, is_element ? "$elemMatch" : "$eq",
                       is_element ? wanted.at("$elemMatch") : wanted, {}))
            return false;
    }
    return !operand.empty();
}

bool is_listed(const Json* value, const Json& list) {
    for (const Json& wanted : list) {
        if (equals(value, wanted)) return true;
    }
    return false;
}

bool satisfies(const Values& exact, const Values& spread, const std::string& name,
               const Json& operand, const Json& siblings) {
    const auto has_order = [&](auto accepts) {
        return any(spread, [&](const Json* value) {
            const int sign = order(value, operand);
            return sign != 2 && accepts(sign);
        });
    };
    const auto is_equal_to = [&](const Json* value) { return equals(value, operand); };
    const auto is_in = [&](const Json* value) { return is_listed(value, operand); };
    const auto is_present = [](const Json* value) { return value != nullptr; };
    if (name == "$eq") return any(spread, is_equal_to);
    if (name == "$ne") return !any(spread, is_equal_to);
    if (name == "$in") return any(spread, is_in);
    if (name == "$nin") return !any(spread, is_in);
    if (name == "$gt") return has_order([](int sign) { return sign > 0; });
    if (name == "$gte") return has_order([](int sign) { return sign >= 0; });
    if (name == "$lt") return has_order([](int sign) { return sign < 0; });
    if (name == "$lte") return has_order([](int sign) { return sign <= 0; });
    if (name == "$exists") return any(exact, is_present) == (operand == true || operand == 1);
    if (name == "$not") return !satisfies_all(exact, spread, operand);
    if (name == "$all") return has_all(exact, spread, operand);
    if (name == "$options") return true;
    return any(name == "$size" || name == "$elemMatch" ? exact : spread, [&](const Json* value) {
        if (name == "$type") return has_type(value, operand);
        if (name == "$mod") return has_remainder(value, operand);
        if (name == "$elemMatch") return has_element(value, operand);
        if (value == nullptr) return false;
        if (name == "$size") return value->is_array() && value->size() == number_of(operand);
        return value->is_string() &&
               naive_search(operand.get<std::string>(), siblings.value("$options", ""),
                            value->get<std::string>());
    });
}

bool is_operators(const Json& value) {
    return value.is_object() && !value.empty() && value.begin().key().front() == '$';
}

std::size_t count_matching(const Json& queries, const Json& document) {
    std::size_t count = 0;
    for (const Json& query : queries)
        count += naive_matches(query, document) ? 1 : 0;
    return count;
}

/// `including` says of a path whether it, something above it or something below it is named.
Json projected(const Json& value, const std::string& path, const std::set<std::string>& named,
               bool is_inclusion);

bool is_named(const std::string& path, const std::set<std::string>& named) {
    for (const std::string& name : named) {
        if (path == name || path.rfind(name + ".", 0) == 0) return true;
    }
    return false;
}

bool leads_to_named(const std::string& path, const std::set<std::string>& named) {
    for (const std::string& name : named) {
        if (name.rfind(path + ".", 0) == 0) return true;
    }
    return false;
}

Json projected_object(const Json& object, const std::string& path,
                      const std::set<std::string>& named, bool is_inclusion) {
    Json result = Json::object();
    for (const auto& member : object.items()) {
        const std::string inner = path.empty() ? member.key() : path + "." + member.key();
        // A member whose name has a dot is not what a path means.
        const bool has_dot = member.key().find('.') != std::string::npos;
        if (!has_dot && is_named(inner, named)) {
            if (is_inclusion) result[member.key()] = member.value();
        } else if (!has_dot && leads_to_named(inner, named)) {
            const Json part = projected(member.value(), inner, named, is_inclusion);
            if (!part.is_discarded()) result[member.key()] = part;
        } else if (!is_inclusion) {
            result[member.key()] = member.value();
        }
    }
    return result;
}

Json projected(const Json& value, const std::string& path, const std::set<std::string>& named,
               bool is_inclusion) {
    if (value.is_object()) return projected_object(value, path, named, is_inclusion);
    if (!value.is_array()) return is_inclusion ? Json(Json::value_t::discarded) : value;
    Json result = Json::array();
    for (const Json& element : value) {
        Json part = projected(element, path, named, is_inclusion);
        if (!part.is_discarded()) result.push_back(std::move(part));
    }
    return result;
}

}  // namespace

bool naive_matches(const Json& query, const Json& document) {
    for (const auto& member : query.items()) {
        const std::string& name = member.key();
        const Json& operand = member.value();
        bool holds = true;
        if (name == "_fields") continue;
        if (name == "$and") {
            holds = count_matching(operand, document) == operand.size();
        } else if (name == "$or") {
            holds = count_matching(operand, document) > 0;
        } else if (name == "$nor") {
            holds = count_matching(operand, document) == 0;
        } else {
            const Values exact = values_at(document, name);
            const Json operators = is_operators(operand) ? operand : Json{{"$eq", operand}};
            holds = satisfies_all(exact, with_elements(exact), operators);
        }
        if (!holds) return false;
    }
    return true;
}

Json naive_project(const Json& query, const Json& document) {
    if (!query.contains("_fields")) return document;
    std::set<std::string> named;
    bool is_inclusion = false;
    for (const auto& field : query.at("_fields").items()) {
        if (field.key() == "_doc") continue;
        named.insert(field.key());
        is_inclusion = field.value() == 1 || field.value() == true;
    }
    if (named.empty()) return document;
    if (is_inclusion) named.insert("_doc");
    return projected_object(document, "", named, is_inclusion);
}

}  // namespace stele::testing
