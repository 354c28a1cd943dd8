#include <stele/sdk/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

namespace stele::sdk {

namespace {

Error malformed(std::string_view problem, std::size_t byte) {
    return make_error(ErrorKind::invalid, "json.malformed",
                      "The JSON text is malformed at byte " + std::to_string(byte) + ": " +
                          std::string(problem) + ".");
}

/// Tells how far the parser has read: its events do not say where in the text they happen.
class CountingIterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator() = default;
    CountingIterator(const char* at, const char** farthest) : at_(at), farthest_(farthest) {}

    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        *farthest_ = ++at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
        return a.at_ == b.at_;
    }
    friend bool operator!=(const CountingIterator& a, const CountingIterator& b) {
        return !(a == b);
    }

private:
    const char* at_ = nullptr;
    const char** farthest_ = nullptr;
};

/// Builds a value from the parser's events without recursion. Members and elements wait in one flat
/// stack until their container ends, which then takes them over in one piece: a container that grew
/// in place would copy its members, because their names are constant.
class Builder {
public:
    using number_integer_t = Json::number_integer_t;
    using number_unsigned_t = Json::number_unsigned_t;
    using number_float_t = Json::number_float_t;
    using string_t = Json::string_t;
    using binary_t = Json::binary_t;

    Builder(JsonLimits limits, const char* begin, const char* const* position)
        : limits_(limits), begin_(begin), position_(position) {}

    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(number_integer_t value) { return add(value); }
    bool number_unsigned(number_unsigned_t value) { return add(value); }
    bool number_float(number_float_t value, const string_t&) { return add(value); }
    bool string(string_t& value) { return add(std::move(value)); }
    bool binary(binary_t&) { return fail("binary data"); }

    bool start_object(std::size_t) { return start(true); }
    bool start_array(std::size_t) { return start(false); }

    bool key(string_t& name) {
        if (name.find('\0') != std::string::npos) return fail("a member name contains a NUL");
        frames_.back().name = std::move(name);
        frames_.back().name_byte = byte();
        return true;
    }

    bool end_object() {
        const std::size_t first = frames_.back().first_item;
        if (const Item* duplicate = find_duplicate(first)) {
            error_ =
                malformed("the member '" + duplicate->name + "' appears twice", duplicate->byte);
            return false;
        }
        Json::object_t object;
        object.reserve(items_.size() - first);
        for (std::size_t i = first; i < items_.size(); ++i) {
            object.emplace_back(std::move(items_[i].name), std::move(items_[i].value));
        }
        return end(std::move(object));
    }

    bool end_array() {
        const std::size_t first = frames_.back().first_item;
        Json::array_t array;
        array.reserve(items_.size() - first);
        for (std::size_t i = first; i < items_.size(); ++i) {
            array.push_back(std::move(items_[i].value));
        }
        return end(std::move(array));
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& exception) {
        constexpr int kOutOfRange = 406;
        error_ = exception.id == kOutOfRange
                     ? malformed("a number is beyond the range of a double", byte())
                     : malformed(problem_of(exception.what()), position);
        return false;
    }

    std::optional<Error>& error() { return error_; }
    Json& root() { return root_; }

private:
    struct Item {
        std::string name;
        std::size_t byte;
        Json value;
    };
    struct Frame {
        bool is_object;
        std::size_t first_item;
        std::string name = {};
        std::size_t name_byte = 0;
    };

    std::size_t byte() const { return static_cast<std::size_t>(*position_ - begin_); }

    bool fail(std::string_view problem) {
        error_ = malformed(problem, byte());
        return false;
    }

    bool start(bool is_object) {
        if (frames_.size() >= static_cast<std::size_t>(limits_.depth)) {
            return fail("it is nested deeper than " + std::to_string(limits_.depth) + " levels");
        }
        frames_.push_back({is_object, items_.size()});
        return true;
    }

    bool add(Json value) {
        if (frames_.empty()) {
            root_ = std::move(value);
        } else {
            Frame& frame = frames_.back();
            items_.push_back({std::move(frame.name), frame.name_byte, std::move(value)});
        }
        return true;
    }

    bool end(Json container) {
        items_.erase(items_.begin() + static_cast<std::ptrdiff_t>(frames_.back().first_item),
                     items_.end());
        frames_.pop_back();
        return add(std::move(container));
    }

    // Comparing all pairs is fastest for the usual few members and ruinous for very many.
    const Item* find_duplicate(std::size_t first) const {
        constexpr std::size_t kFew = 24;
        if (items_.size() - first > kFew) return find_duplicate_of_many(first);
        for (std::size_t i = first + 1; i < items_.size(); ++i) {
            for (std::size_t j = first; j < i; ++j) {
                if (items_[i].name == items_[j].name) return &items_[i];
            }
        }
        return nullptr;
    }

    const Item* find_duplicate_of_many(std::size_t first) const {
        std::vector<const Item*> sorted;
        sorted.reserve(items_.size() - first);
        for (std::size_t i = first; i < items_.size(); ++i)
            sorted.push_back(&items_[i]);
        std::sort(sorted.begin(), sorted.end(), [](const Item* a, const Item* b) {
            const int order = a->name.compare(b->name);
            return order != 0 ? order < 0 : a->byte < b->byte;
        });
        const auto found =
            std::adjacent_find(sorted.begin(), sorted.end(),
                               [](const Item* a, const Item* b) { return a->name == b->name; });
        return found == sorted.end() ? nullptr : *std::next(found);
    }

    // The library's sentence without its prefix and without the text that it read last, which may
    // be of any length and any bytes.
    static std::string problem_of(std::string_view what) {
        constexpr std::string_view kProblem = " - ";
        if (const auto at = what.find(kProblem); at != std::string_view::npos) {
            what.remove_prefix(at + kProblem.size());
        }
        return std::string(what.substr(0, what.find("; last read")));
    }

    JsonLimits limits_;
    const char* begin_;
    const char* const* position_;
    std::vector<Frame> frames_;
    std::vector<Item> items_;
    Json root_;
    std::optional<Error> error_;
};

template <class Integer>
void append_integer(std::string& out, Integer value) {
    std::array<char, std::numeric_limits<Integer>::digits10 + 2> digits{};
    const auto written = std::to_chars(digits.begin(), digits.end(), value);
    out.append(digits.begin(), written.ptr);
}

void append_value(std::string& out, const Json& value) {
    char separator = 0;
    const auto separate = [&out, &separator] {
        if (separator != 0) out += separator;
        separator = ',';
    };
    switch (value.type()) {
        case Json::value_t::object:
            out += '{';
            for (const auto& [name, member] : value.get_ref<const Json::object_t&>()) {
                separate();
                append_json_string(out, name);
                out += ':';
                append_value(out, member);
            }
            out += '}';
            return;
        case Json::value_t::array:
            out += '[';
            for (const Json& element : value.get_ref<const Json::array_t&>()) {
                separate();
                append_value(out, element);
            }
            out += ']';
            return;
        case Json::value_t::string:
            return append_json_string(out, value.get_ref<const std::string&>());
        case Json::value_t::number_integer:
            return append_integer(out, value.get_ref<const std::int64_t&>());
        case Json::value_t::number_unsigned:
            return append_integer(out, value.get_ref<const std::uint64_t&>());
        default:
            out += value.dump();  // how numbers are rounded is the library's
    }
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
    if (is_blank(text)) return Json::object();
    // The library takes a NUL for the end of the text and would accept whatever follows.
    if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
        return malformed("it contains a NUL", nul + 1);
    }
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* position = begin;
    Builder builder(limits, begin, &position);
    const bool is_read = Json::sax_parse(CountingIterator(begin, &position),
                                         CountingIterator(end, &position), &builder);
    if (is_read) return std::move(builder.root());
    return *std::move(builder.error());
}

std::string dump_json(const Json& value) {
    std::string text;
    append_value(text, value);
    return text;
}

void append_json(std::string& out, const Json& value) {
    append_value(out, value);
}

}  // namespace stele::sdk
