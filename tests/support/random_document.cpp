#include "tests/support/random_document.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include <nlohmann/json.hpp>

namespace stele::testing {

using sdk::Json;

namespace {

constexpr int kMaxValueDepth = 3;
constexpr int kMaxConditionDepth = 3;

const std::vector<Json>& scalars() {
    static const std::vector<Json> kScalars = {
        nullptr,
        true,
        false,
        0,
        1,
        2,
        3,
        -1,
        -4,
        5.0,
        2.5,
        -2.5,
        -0.0,
        2147483647,
        2147483648,
        9007199254740992,
        9007199254740993,
        9007199254740992.0,
        std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min(),
        9223372036854775808.0,
        std::numeric_limits<std::uint64_t>::max(),
        18446744073709551616.0,
        1e300,
        "",
        "a",
        "b",
        "A",
        "ab",
        "ba",
        "aab",
        "a\nb",
        "ä",
        "Äb",
        std::string("a\0b", 3),
        "\"\\",
        "\xef\xbf\xbd",
        "\xf0\x90\x80\x80",
    };
    return kScalars;
}

template <class Container>
const auto& pick(RandomDocuments& random, const Container& from) {
    return from[random.below(from.size())];
}

}  // namespace

const std::vector<std::string>& random_operators() {
    static const std::vector<std::string> kOperators = {
        "$eq",     "$ne",   "$gt",  "$gte",       "$lt",   "$lte", "$in",  "$nin",
        "$exists", "$type", "$mod", "$elemMatch", "$size", "$all", "$not", "$regex"};
    return kOperators;
}

std::size_t RandomDocuments::below(std::size_t end) {
    return random_() % end;
}

std::string RandomDocuments::name() {
    static const std::array<std::string, 9> kNames = {"a",  "b", "c", "a", "b",
                                                      "ab", "0", "1", "01"};
    return pick(*this, kNames);
}

std::string RandomDocuments::path() {
    std::string path = name();
    while (below(3) == 0)
        path += "." + name();
    return path;
}

Json RandomDocuments::document() {
    Json document = object(0);
    if (below(20) == 0) document["a.b"] = scalar();
    if (below(4) == 0) document["_type"] = "n:node";
    document["_doc"] = "d" + std::to_string(below(5));
    return document;
}

Json RandomDocuments::scalar() {
    return pick(*this, scalars());
}

Json RandomDocuments::value(int depth) {
    const std::size_t kind = depth >= kMaxValueDepth ? 0 : below(10);
    if (kind < 6) return scalar();
    return kind < 8 ? array(depth + 1) : object(depth + 1);
}

Json RandomDocuments::object(int depth) {
    Json object = Json::object();
    for (std::size_t i = below(4); i > 0; --i)
        object[name()] = value(depth);
    return object;
}

Json RandomDocuments::array(int depth) {
    Json array = Json::array();
    for (std::size_t i = below(4); i > 0; --i)
        array.push_back(value(depth));
    return array;
}

Json RandomDocuments::query() {
    Json query = conditions(0);
    if (below(5) == 0) query["_fields"] = fields();
    return query;
}

Json RandomDocuments::conditions(int depth) {
    static const std::array<std::string, 3> kLogical = {"$and", "$or", "$nor"};
    Json conditions = Json::object();
    for (std::size_t i = below(10) == 0 ? 0 : 1 + below(2); i > 0; --i) {
        if (depth < kMaxConditionDepth && below(5) == 0) {
            Json& queries = conditions[pick(*this, kLogical)] = Json::array();
            for (std::size_t k = 1 + below(3); k > 0; --k)
                queries.push_back(this->conditions(depth + 1));
        } else {
            conditions[path()] = below(3) == 0 ? value(0) : operators(depth);
        }
    }
    return conditions;
}

Json RandomDocuments::operators(int depth) {
    Json operators = Json::object();
    for (std::size_t i = 1 + below(4) / 3; i > 0; --i)
        add_operator(operators, pick(*this, random_operators()), depth);
    return operators;
}

void RandomDocuments::add_operator(Json& operators, std::string_view name, int depth) {
    const bool is_deep = depth >= kMaxConditionDepth;
    if (is_deep && (name == "$not" || name == "$elemMatch")) name = "$gte";
    Json& operand = operators[std::string(name)];
    if (name == "$eq" || name == "$ne") {
        operand = value(0);
    } else if (name == "$in" || name == "$nin" || name == "$all") {
        operand = list();
        if (name == "$all" && !is_deep && below(4) == 0)
            operand.push_back({{"$elemMatch", element_conditions(depth + 1)}});
    } else if (name == "$exists") {
        operand = below(2) == 0;
    } else if (name == "$type") {
        operand = type();
    } else if (name == "$size") {
        operand = below(3);
    } else if (name == "$mod") {
        operand = Json::array({below(2) == 0 ? 2 : -3, static_cast<int>(below(4)) - 1});
    } else if (name == "$elemMatch") {
        operand = element_conditions(depth + 1);
    } else if (name == "$not") {
        operand = this->operators(depth + 1);
    } else if (name == "$regex") {
        std::string options;
        for (const char option : {'i', 'm', 's', 'x'}) {
            if (below(4) == 0) options.push_back(option);
        }
        operand = pattern(options.find('x') != std::string::npos);
        if (!options.empty()) operators["$options"] = options;
    } else {
        operand = scalar();
    }
}

Json RandomDocuments::element_conditions(int depth) {
    return below(2) == 0 ? operators(depth) : conditions(depth);
}

Json RandomDocuments::list() {
    Json list = Json::array();
    for (std::size_t i = below(5); i > 0; --i)
        list.push_back(below(6) == 0 ? value(1) : scalar());
    return list;
}

Json RandomDocuments::type() {
    static const std::array<Json, 13> kTypes = {"double", "string", "object", "array",  "bool",
                                                "null",   "int",    "long",   "number", 1,
                                                2,        16,       4};
    if (below(3) != 0) return pick(*this, kTypes);
    return Json::array({pick(*this, kTypes), pick(*this, kTypes)});
}

Json RandomDocuments::fields() {
    Json fields = Json::object();
    const bool is_inclusion = below(2) == 0;
    for (std::size_t i = below(4); i > 0; --i)
        fields[path()] = is_inclusion ? 1 : 0;
    if (below(4) == 0 && !fields.empty()) fields["_doc"] = below(2);
    return fields;
}

std::string RandomDocuments::pattern(bool is_extended) {
    static const std::array<std::string, 10> kPieces = {"a",  "b", ".", "a*", "b*",
                                                        ".*", "ä", "Ä", "ab", "A"};
    std::string pattern = below(3) == 0 ? "^" : "";
    for (std::size_t i = below(4); i > 0; --i) {
        pattern += pick(*this, kPieces);
        if (is_extended && below(2) == 0) pattern += " ";
    }
    if (below(3) == 0) pattern += "$";
    return pattern;
}

std::size_t test_cases(std::size_t usual) {
    const char* const given = std::getenv("STELE_TEST_CASES");
    const std::size_t cases = given == nullptr ? usual : std::strtoull(given, nullptr, 10);
    const char* const form = std::getenv("STELE_SHORT");
    const bool is_whole = form == nullptr || (std::string_view(form) == "ci" &&
                                              std::getenv("STELE_WHOLE_IN_CI") != nullptr);
    return is_whole ? cases : cases / 5;
}

std::uint64_t first_test_case() {
    const char* const given = std::getenv("STELE_TEST_FIRST");
    return given == nullptr ? 0 : std::strtoull(given, nullptr, 10);
}

std::uint64_t test_seed() {
    const char* const given = std::getenv("STELE_TEST_SEED");
    return given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
}

}  // namespace stele::testing
