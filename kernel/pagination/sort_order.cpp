#include "kernel/pagination/sort_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/pagination/collation.hpp"
#include "kernel/pagination/json_token.hpp"
#include "kernel/pagination/number.hpp"
#include "kernel/pagination/scanned_text.hpp"

namespace stele::kernel::pagination {

namespace {

namespace ondemand = simdjson::ondemand;

/// First byte of a field's part of the key. Parts end by themselves, so that they can be turned
/// over one by one.
enum Tag : char { missing = 0, number = 1, text = 2 };

/// What a record has at one field.
struct Found {
    Tag tag = Tag::missing;
    std::string_view text;
    Number number;
};

/// A part of a dotted name.
struct Step {
    std::string name;
    std::optional<std::size_t> field;
    std::vector<Step> members;
};

void add_path(std::vector<Step>& steps, std::string_view path, std::size_t field) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    auto at = std::find_if(steps.begin(), steps.end(),
                           [name](const Step& step) { return step.name == name; });
    if (at == steps.end()) at = steps.insert(steps.end(), {std::string(name), {}, {}});
    if (dot == std::string_view::npos) {
        at->field = field;
    } else {
        add_path(at->members, path.substr(dot + 1), field);
    }
}

/// An integer as the largest double that is not above it, and what is left: so integers beyond 53
/// bits keep their order, also among doubles.
template <class Integer>
void append_integer(sdk::KeyWriter& key, Integer integer) {
    constexpr double kEnd = 2.0 * static_cast<double>(std::numeric_limits<Integer>::max() / 2 + 1);
    auto below = static_cast<double>(integer);
    if (below >= kEnd || static_cast<Integer>(below) > integer)
        below = std::nextafter(below, -std::numeric_limits<double>::infinity());
    key.real(below).real(static_cast<double>(integer - static_cast<Integer>(below)));
}

void append_number(sdk::KeyWriter& key, const Number& number) {
    switch (number.form) {
        case Number::Form::signed_integer:
            return append_integer(key, number.integer);
        case Number::Form::unsigned_integer:
            return append_integer(key, number.large);
        case Number::Form::real:
            break;
    }
    key.real(number.value).real(0);
}

}  // namespace

struct SortOrder::State {
    std::vector<sdk::SortKey> sort;
    std::vector<Step> steps;
    std::vector<Found> found;
    std::shared_ptr<const Collation> collation;
    bool is_numeric = false;
    ScannedText own_text;

    // The text of a record was checked when it was stored; where it breaks off nevertheless, the
    // fields behind count as missing.
    void find(ScannedText& record) {
        std::fill(found.begin(), found.end(), Found());
        ondemand::object object;
        if (record.object(object)) find_members(object, steps);
    }

    simdjson::error_code find_members(ondemand::object object, const std::vector<Step>& wanted) {
        std::size_t remaining = wanted.size();
        for (auto field : object) {
            std::string_view name;
            if (const auto error = field.unescaped_key().get(name)) return error;
            const auto step = std::find_if(wanted.begin(), wanted.end(),
                                           [name](const Step& one) { return one.name == name; });
            if (step == wanted.end()) continue;
            ondemand::value value;
            if (const auto error = field.value().get(value)) return error;
            if (const auto error = find_value(value, *step)) return error;
            // Only the outermost object may be left early.
            if (--remaining == 0 && &wanted == &steps) break;
        }
        return simdjson::SUCCESS;
    }

    simdjson::error_code find_value(ondemand::value value, const Step& step) {
        ondemand::json_type type;
        if (const auto error = value.type().get(type)) return error;
        if (type == ondemand::json_type::object && !step.members.empty())
            return find_object(value, step);
        if (!step.field) return simdjson::SUCCESS;
        Found& target = found[*step.field];
        simdjson::error_code error = simdjson::SUCCESS;
        if (type == ondemand::json_type::null) return error;
        if (type == ondemand::json_type::string) {
            error = value.get_string().get(target.text);
        } else {
            error = simdjson::to_json_string(value).get(target.text);
            target.text = bare_token(target.text);
        }
        if (type == ondemand::json_type::number && is_numeric) {
            const auto number = Number::read(target.text);
            if (!number) return simdjson::NUMBER_ERROR;
            target.number = *number;
            target.tag = Tag::number;
            return error;
        }
        if (!error) target.tag = Tag::text;
        return error;
    }

    simdjson::error_code find_object(ondemand::value value, const Step& step) {
        ondemand::object object;
        if (const auto error = value.get_object().get(object)) return error;
        if (step.field) {
            Found& target = found[*step.field];
            if (const auto error = object.raw_json().get(target.text)) return error;
            target.text = bare_token(target.text);
            target.tag = Tag::text;
            if (const auto error = object.reset().error()) return error;
        }
        return find_members(object, step.members);
    }

    void append(const Found& one, std::string& key) const {
        key.push_back(one.tag);
        if (one.tag == Tag::missing) return;
        if (one.tag == Tag::text && collation) return collation->append_key(one.text, key);
        sdk::KeyWriter writer;
        if (one.tag == Tag::text) {
            writer.text(one.text);
        } else {
            append_number(writer, one.number);
        }
        key.append(writer.key());
    }
};

SortOrder::SortOrder(std::unique_ptr<State> state) : state_(std::move(state)) {}
SortOrder::SortOrder(SortOrder&&) noexcept = default;
SortOrder& SortOrder::operator=(SortOrder&&) noexcept = default;
SortOrder::~SortOrder() = default;

sdk::Result<SortOrder> SortOrder::make(const std::vector<sdk::SortKey>& sort,
                                       const sdk::SortOptions& options, bool numeric) {
    auto state = std::make_unique<State>();
    state->sort = sort;
    state->is_numeric = numeric;
    state->found.resize(sort.size());
    for (std::size_t i = 0; i < sort.size(); ++i)
        add_path(state->steps, sort[i].field, i);
    if (!options.locale.empty()) {
        auto collation = Collation::find(options);
        if (!collation) return std::move(collation).error();
        state->collation = std::move(*collation);
    }
    return SortOrder(std::move(state));
}

void SortOrder::key_of(std::string_view text, std::string& key) {
    state_->own_text.set(text);
    key_of(state_->own_text, key);
}

void SortOrder::key_of(ScannedText& text, std::string& key) {
    key.clear();
    if (state_->sort.empty()) return;
    state_->find(text);
    for (std::size_t i = 0; i < state_->sort.size(); ++i) {
        const std::size_t begin = key.size();
        state_->append(state_->found[i], key);
        if (state_->sort[i].ascending) continue;
        std::transform(key.begin() + static_cast<std::ptrdiff_t>(begin), key.end(),
                       key.begin() + static_cast<std::ptrdiff_t>(begin),
                       [](char c) { return static_cast<char>(~c); });
    }
}

bool SortOrder::is_empty() const {
    return state_->sort.empty();
}

}  // namespace stele::kernel::pagination
