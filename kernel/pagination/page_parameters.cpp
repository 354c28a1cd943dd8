#include "kernel/pagination/page_parameters.hpp"

#include <charconv>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/pagination/collation.hpp"

namespace stele::kernel::pagination {

using sdk::Json;

namespace {

using Parameter = std::function<std::optional<std::string>(std::string_view)>;

constexpr std::size_t kMaxSortKeys = 16;
constexpr std::size_t kMaxFieldLength = 1024;

/// Some clients encode every value as JSON, so that a text comes with quotes around it.
std::string_view without_quotes(std::string_view text) {
    const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return is_quoted ? text.substr(1, text.size() - 2) : text;
}

class PageReader {
public:
    PageReader(const Parameter& parameter, const PageLimits& limits,
               const std::vector<std::string>& names)
        : parameter_(parameter), names_(names) {
        page_.limit = limits.default_limit;
    }

    sdk::Result<sdk::PageRequest> read() {
        read_skip();
        read_limit();
        read_sort();
        read_options();
        read_explain();
        if (!violations_.empty()) return sdk::make_error(std::move(violations_));
        return std::move(page_);
    }

private:
    void fail(std::string path, std::string code, std::string message) {
        violations_.push_back({std::move(path), "page." + std::move(code), std::move(message)});
    }

    std::optional<std::int64_t> number(std::string_view name, std::int64_t smallest) {
        const auto given = parameter_(name);
        if (!given) return std::nullopt;
        const std::string_view text = without_quotes(*given);
        std::int64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [at, error] = std::from_chars(text.data(), end, value);
        const std::string code = std::string(name) + "_invalid";
        if (error == std::errc::result_out_of_range && at == end) {
            fail(std::string(name), code, "is beyond the range of numbers");
        } else if (error != std::errc() || at != end) {
            fail(std::string(name), code, "is not a whole number");
        } else if (value < smallest) {
            fail(std::string(name), code, "must not be less than " + std::to_string(smallest));
        } else {
            return value;
        }
        return std::nullopt;
    }

    void read_skip() {
        if (const auto skip = number("skip", 0)) page_.skip = static_cast<std::uint64_t>(*skip);
    }

    void read_limit() {
        if (const auto limit = number("limit", -1)) page_.limit = *limit;
    }

    /// An object, possibly written as a JSON string that holds one. Nothing when absent or wrong.
    std::optional<Json> object(std::string_view name, const std::string& code) {
        const auto given = parameter_(name);
        if (!given) return std::nullopt;
        auto parsed = sdk::parse_json(*given);
        if (parsed && parsed->is_string())
            parsed = sdk::parse_json(std::string(parsed->get_ref<const std::string&>()));
        if (!parsed) {
            fail(std::string(name), code, parsed.error().message);
        } else if (parsed->is_object()) {
            return std::move(*parsed);
        } else if (!parsed->is_null()) {
            fail(std::string(name), code, "is not a JSON object");
        }
        return std::nullopt;
    }

    void read_sort() {
        const char* const name = parameter_("sort") ? "sort" : "sorting";
        // What an object becomes when somebody takes it for text.
        if (parameter_(name) == "[object Object]") return;
        auto sort = object(name, "sort_invalid");
        if (!sort && violations_.empty()) sort = bracketed("sort");
        if (!sort) return;
        if (sort->size() > kMaxSortKeys) {
            fail(name, "sort_invalid",
                 "names more than " + std::to_string(kMaxSortKeys) + " fields");
            return;
        }
        for (const auto& key : sort->items()) {
            const std::string path = std::string(name) + "." + key.key();
            const auto ascending = direction(key.value());
            if (!is_field(key.key())) {
                fail(path, "sort_invalid",
                     "the name of a field is empty, has an empty part or is too long");
            } else if (!ascending) {
                fail(path, "sort_invalid", "is neither 1 (ascending) nor -1 (descending)");
            } else {
                page_.sort.push_back({key.key(), *ascending});
            }
        }
    }

    /// `name[member]=value` for each member, as some form encoders write objects.
    std::optional<Json> bracketed(const std::string& name) const {
        Json object = Json::object();
        for (const std::string& full : names_) {
            if (!full.starts_with(name + "[") || full.back() != ']') continue;
            const std::size_t begin = name.size() + 1;
            object[full.substr(begin, full.size() - begin - 1)] =
                std::string(without_quotes(parameter_(full).value_or(std::string())));
        }
        if (object.empty()) return std::nullopt;
        return object;
    }

    static bool is_field(std::string_view name) {
        return !name.empty() && name.size() <= kMaxFieldLength && name.front() != '.' &&
               name.back() != '.' && name.find("..") == std::string_view::npos;
    }

    static std::optional<bool> direction(const Json& value) {
        if (value == 1 || value == "1") return true;
        if (value == -1 || value == "-1") return false;
        return std::nullopt;
    }

    void read_options() {
        const auto options = object("options", "options_invalid");
        if (!options) return;
        read_locale(*options);
        const bool is_advanced = read_numeric_ordering(*options) + read_case_first(*options) > 0;
        if (is_advanced && !has_locale_)
            fail("options.locale", "locale_missing",
                 "is required with 'numericOrdering' and 'caseFirst'");
    }

    static const Json* member(const Json& options, const char* name) {
        const auto at = options.find(name);
        return at == options.end() || at->is_null() ? nullptr : &*at;
    }

    void read_locale(const Json& options) {
        const char* const name = member(options, "locale") != nullptr ? "locale" : "locales";
        const Json* const locale = member(options, name);
        if (locale == nullptr || *locale == "") return;
        has_locale_ = true;
        const auto* const text = locale->get_ptr<const std::string*>();
        if (text != nullptr && is_locale(*text)) {
            page_.options.locale = *text;
        } else {
            fail(std::string("options.") + name, "locale_invalid",
                 "is not the name of a locale, such as 'de' or 'de@collation=phonebook'");
        }
    }

    /// Whether the option is given.
    bool read_numeric_ordering(const Json& options) {
        const Json* const value = member(options, "numericOrdering");
        if (value == nullptr) return false;
        if (*value == true || *value == "true") {
            page_.options.numeric_ordering = true;
        } else if (*value != false && *value != "false") {
            fail("options.numericOrdering", "options_invalid", "is neither true nor false");
        }
        return true;
    }

    bool read_case_first(const Json& options) {
        const Json* const value = member(options, "caseFirst");
        if (value == nullptr) return false;
        if (*value == "upper") {
            page_.options.case_first = sdk::CaseFirst::upper;
        } else if (*value == "lower") {
            page_.options.case_first = sdk::CaseFirst::lower;
        } else {
            fail("options.caseFirst", "options_invalid", "is neither 'upper' nor 'lower'");
        }
        return true;
    }

    void read_explain() {
        const auto given = parameter_("explain");
        if (!given) return;
        const std::string_view text = without_quotes(*given);
        if (text == "true" || text == "1") {
            page_.explain = true;
        } else if (text != "false" && text != "0") {
            fail("explain", "explain_invalid", "is neither true nor false");
        }
    }

    const Parameter& parameter_;
    const std::vector<std::string>& names_;
    sdk::PageRequest page_;
    sdk::Violations violations_;
    bool has_locale_ = false;
};

}  // namespace

sdk::Result<sdk::PageRequest> read_page_parameters(const Parameter& parameter,
                                                   const PageLimits& limits,
                                                   const std::vector<std::string>& names) {
    return PageReader(parameter, limits, names).read();
}

}  // namespace stele::kernel::pagination
