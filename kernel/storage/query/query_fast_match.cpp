#include <algorithm>
#include <cstdint>

#include "kernel/pagination/json_token.hpp"
#include "kernel/pagination/scanned_text.hpp"
#include "kernel/storage/query/query_match.hpp"
#include "kernel/storage/query/query_scalar.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

namespace {

namespace ondemand = simdjson::ondemand;
using Steps = std::vector<FastMatch::Step>;

// A path is looked up by comparing names one after another, and members are marked in one word.
constexpr std::size_t kMaxLeaves = 16;

bool is_simple(const QueryNode& leaf) {
    switch (leaf.operation) {
        case QueryOperator::equal:
        case QueryOperator::not_equal:
        case QueryOperator::greater:
        case QueryOperator::greater_or_equal:
        case QueryOperator::less:
        case QueryOperator::less_or_equal:
        case QueryOperator::in:
        case QueryOperator::not_in:
        case QueryOperator::exists:
        case QueryOperator::type:
        case QueryOperator::regex:
        case QueryOperator::modulo:
            return true;
        default:
            return false;
    }
}

FastMatch::Step& step_named(Steps& steps, std::string_view name) {
    const auto at = std::find_if(steps.begin(), steps.end(),
                                 [name](const FastMatch::Step& step) { return step.name == name; });
    if (at != steps.end()) return *at;
    FastMatch::Step& step = steps.emplace_back();
    step.name = name;
    return step;
}

void add_leaf(Steps& steps, std::string_view path, const QueryNode& leaf) {
    const std::size_t dot = path.find('.');
    FastMatch::Step& step = step_named(steps, path.substr(0, dot));
    if (dot == std::string_view::npos) {
        step.leaves.push_back(&leaf);
    } else {
        add_leaf(step.members, path.substr(dot + 1), leaf);
    }
}

bool all_hold(const std::vector<const QueryNode*>& leaves, const Scalar* value) {
    return std::all_of(leaves.begin(), leaves.end(), [value](const QueryNode* leaf) {
        return scalar_matches(*leaf, value) != is_negative(*leaf);
    });
}

bool all_hold_missing(const Steps& steps) {
    return std::all_of(steps.begin(), steps.end(), [](const FastMatch::Step& step) {
        return all_hold(step.leaves, nullptr) && all_hold_missing(step.members);
    });
}

/// False: it does not match. Nothing: not to be told this way.
using Outcome = std::optional<bool>;

simdjson::error_code read_number(ondemand::value& value, Number& number) {
    const auto read = Number::read(pagination::bare_token(value.raw_json_token()));
    if (!read) return simdjson::NUMBER_ERROR;
    number = *read;
    return simdjson::SUCCESS;
}

simdjson::error_code read_scalar(ondemand::value& value, ondemand::json_type type, Scalar& scalar) {
    switch (type) {
        case ondemand::json_type::string:
            scalar.type = Scalar::Type::text;
            return value.get_string().get(scalar.text);
        case ondemand::json_type::number:
            scalar.type = Scalar::Type::number;
            return read_number(value, scalar.number);
        case ondemand::json_type::boolean:
            scalar.type = Scalar::Type::boolean;
            return value.get_bool().get(scalar.flag);
        case ondemand::json_type::null:
            return value.is_null() ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
        default:
            return simdjson::INCORRECT_TYPE;
    }
}

Outcome members_match(ondemand::object object, const Steps& steps);

Outcome value_matches(ondemand::value value, const FastMatch::Step& step) {
    ondemand::json_type type;
    if (value.type().get(type) || type == ondemand::json_type::array) return std::nullopt;
    if (type == ondemand::json_type::object) {
        ondemand::object object;
        if (!step.leaves.empty() || value.get_object().get(object)) return std::nullopt;
        return members_match(object, step.members);
    }
    Scalar scalar;
    if (read_scalar(value, type, scalar)) return std::nullopt;
    return all_hold(step.leaves, &scalar) && all_hold_missing(step.members);
}

Outcome members_match(ondemand::object object, const Steps& steps) {
    std::uint32_t missing = (std::uint32_t{1} << steps.size()) - 1;
    for (auto field : object) {
        std::string_view name;
        if (field.unescaped_key().get(name)) return std::nullopt;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (steps[i].name != name) continue;
            ondemand::value value;
            if (field.value().get(value)) return std::nullopt;
            const Outcome outcome = value_matches(value, steps[i]);
            if (outcome != true) return outcome;
            missing &= ~(std::uint32_t{1} << i);
            if (missing == 0) return true;
            break;
        }
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if ((missing >> i & 1) == 0) continue;
        if (!all_hold(steps[i].leaves, nullptr) || !all_hold_missing(steps[i].members))
            return false;
    }
    return true;
}

}  // namespace

std::unique_ptr<const FastMatch> FastMatch::make(const QueryNode& root) {
    const auto& leaves = root.children;
    const bool is_fit = root.operation == QueryOperator::all_of && !leaves.empty() &&
                        leaves.size() <= kMaxLeaves &&
                        std::all_of(leaves.begin(), leaves.end(), is_simple);
    if (!is_fit) return nullptr;
    auto match = std::make_unique<FastMatch>();
    for (const QueryNode& leaf : leaves)
        add_leaf(match->members_, leaf.field, leaf);
    return match;
}

std::optional<bool> FastMatch::matches(pagination::ScannedText& text) const {
    static_assert(Record::kPadding >= pagination::ScannedText::kPadding);
    ondemand::object object;
    if (!text.object(object)) return std::nullopt;
    return members_match(object, members_);
}

}  // namespace stele::kernel::storage
