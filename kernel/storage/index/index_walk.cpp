#include "kernel/storage/index/index_walk.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <simdjson.h>

#include "kernel/pagination/json_token.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::size_t kMaxPathLength = 256;

bool is_digits(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_addressable(std::string_view name) {
    return !name.empty() && name.find('.') == std::string_view::npos && !is_digits(name);
}

class Walker {
public:
    explicit Walker(std::initializer_list<ValueSink*> sinks) : sinks_(sinks) {}

    simdjson::error_code members(ondemand::object object, bool is_direct) {
        for (auto field : object) {
            std::string_view name;
            if (const auto error = field.unescaped_key().get(name)) return error;
            if (!is_addressable(name)) continue;
            const std::size_t size = path_.size();
            if (size != 0) path_.push_back('.');
            path_.append(name);
            ondemand::value value;
            if (const auto error = field.value().get(value)) return error;
            if (const auto error = one(value, is_direct, false)) return error;
            path_.resize(size);
        }
        return simdjson::SUCCESS;
    }

    std::optional<sdk::Error> take_failure() { return std::move(failure_); }

private:
    simdjson::error_code one(ondemand::value value, bool is_direct, bool is_element) {
        ondemand::json_type type;
        if (const auto error = value.type().get(type)) return error;
        switch (type) {
            case ondemand::json_type::object:
                return object(value, is_direct);
            case ondemand::json_type::array:
                return array(value, is_direct, is_element);
            case ondemand::json_type::string:
                return text(value, is_direct);
            case ondemand::json_type::number:
                return number(value, is_direct);
            case ondemand::json_type::boolean:
                return boolean(value, is_direct);
            case ondemand::json_type::null:
                return simdjson::SUCCESS;
        }
        return simdjson::INCORRECT_TYPE;
    }

    simdjson::error_code object(ondemand::value& value, bool is_direct) {
        ondemand::object object;
        if (const auto error = value.get_object().get(object)) return error;
        for (ValueSink* sink : sinks_)
            sink->structure(path_, false, is_direct);
        return members(object, is_direct);
    }

    simdjson::error_code array(ondemand::value& value, bool is_direct, bool is_element) {
        if (is_element) return simdjson::SUCCESS;
        ondemand::array array;
        if (const auto error = value.get_array().get(array)) return error;
        for (ValueSink* sink : sinks_)
            sink->structure(path_, true, is_direct);
        for (auto item : array) {
            ondemand::value element;
            if (const auto error = item.get(element)) return error;
            if (const auto error = one(element, false, true)) return error;
        }
        return simdjson::SUCCESS;
    }

    simdjson::error_code text(ondemand::value& value, bool is_direct) {
        std::string_view text;
        if (const auto error = value.get_string().get(text)) return error;
        return give({WalkedValue::Type::text, text, 0, is_direct});
    }

    simdjson::error_code number(ondemand::value& value, bool is_direct) {
        const std::string_view text = pagination::bare_token(value.raw_json_token());
        double number = 0;
        if (const auto error = value.get_double().get(number)) return error;
        return give({WalkedValue::Type::number, text, number, is_direct});
    }

    simdjson::error_code boolean(ondemand::value& value, bool is_direct) {
        bool flag = false;
        if (const auto error = value.get_bool().get(flag)) return error;
        return give({WalkedValue::Type::boolean, flag ? "true" : "false", 0, is_direct});
    }

    simdjson::error_code give(const WalkedValue& value) {
        for (ValueSink* sink : sinks_) {
            auto taken = sink->scalar(path_, value);
            if (taken) continue;
            failure_ = std::move(taken).error();
            return simdjson::UNEXPECTED_ERROR;
        }
        return simdjson::SUCCESS;
    }

    std::initializer_list<ValueSink*> sinks_;
    std::string path_;
    std::optional<sdk::Error> failure_;
};

}  // namespace

sdk::Result<void> walk_values(std::string_view text, std::initializer_list<ValueSink*> sinks) {
    static_assert(Record::kPadding >= simdjson::SIMDJSON_PADDING);
    thread_local ondemand::parser parser;
    Walker walker(sinks);
    ondemand::document document;
    ondemand::object object;
    auto error =
        parser.iterate(text.data(), text.size(), text.size() + Record::kPadding).get(document);
    if (!error) error = document.get_object().get(object);
    if (!error) error = walker.members(object, true);
    if (!error) return {};
    if (auto failure = walker.take_failure()) return std::move(*failure);
    return sdk::make_error(sdk::ErrorKind::internal, "document.text_broken",
                           "A stored record cannot be read.", simdjson::error_message(error));
}

bool is_unambiguous_path(std::string_view path) {
    for (;;) {
        const std::size_t dot = path.find('.');
        const std::string_view name = path.substr(0, dot);
        if (name.empty() || is_digits(name)) return false;
        if (dot == std::string_view::npos) return true;
        path.remove_prefix(dot + 1);
    }
}

bool is_indexable_path(std::string_view path) {
    static constexpr std::array<std::string_view, 9> kTimeParts = {
        "timestamp", "iso_8601", "year",   "month",      "day_of_month",
        "hour",      "minute",   "second", "millisecond"};
    if (path == "_doc" || path.size() > kMaxPathLength || !is_unambiguous_path(path)) return false;
    const std::size_t dot = path.rfind('.');
    if (dot == std::string_view::npos) return true;
    const bool is_time = path.substr(0, dot).ends_with("_on");
    const auto part = std::find(kTimeParts.begin(), kTimeParts.end(), path.substr(dot + 1));
    return !is_time || part == kTimeParts.end();
}

bool is_covered_by(std::string_view path, const std::vector<std::string>& fields) {
    return std::any_of(fields.begin(), fields.end(), [path](const std::string& field) {
        return path.starts_with(field) &&
               (path.size() == field.size() || path[field.size()] == '.');
    });
}

}  // namespace stele::kernel::storage
