#include "query_objects.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "node_text.hpp"
#include "query_syntax.hpp"
#include "range_values.hpp"
#include "words.hpp"

namespace stele::node_search {

namespace {

using Kind = Expression::Kind;

sdk::Error object_problem(const std::string& path, std::string message) {
    return sdk::make_error({{path, "node_search.object_invalid", std::move(message)}});
}

/// A text of `simple_query_string` as one of `query_string`: `+` and `|` stand between words, and
/// capitals and other signs mean nothing.
std::string plain_syntax(const std::string& text) {
    std::string plain;
    bool is_quoted = false;
    for (const char sign : folded(text)) {
        if (sign == '"') is_quoted = !is_quoted;
        if (!is_quoted && sign == '+') {
            plain += " AND ";
        } else if (!is_quoted && sign == '|') {
            plain += " OR ";
        } else {
            if (std::string_view(":/^[]{}!?&<>=").find(sign) != std::string_view::npos)
                plain += '\\';
            plain += sign;
        }
    }
    return plain;
}

/// One end of a range.
struct RangeEnd {
    std::string key;
    /// Of numbers, dates or words.
    std::string kind;
};

std::optional<double> number_in(const sdk::Json& value) {
    if (value.is_number()) return value.get<double>();
    // Some clients send every value as text.
    const auto& text = value.get_ref<const std::string&>();
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, trouble] = std::from_chars(text.data(), end, number);
    if (trouble != std::errc() || stop != end || !std::isfinite(number)) return std::nullopt;
    return number;
}

sdk::Result<RangeEnd> read_end(const std::string& field, const sdk::Json& value,
                               const std::string& path) {
    if (!value.is_number() && !value.is_string())
        return object_problem(path, "must be text or a number");
    const bool is_whole = value.is_string() && is_found_whole(field);
    const auto number = is_whole ? std::nullopt : number_in(value);
    if (number) return RangeEnd{number_key(*number), "number"};
    const auto& text = value.get_ref<const std::string&>();
    const auto date = read_iso_date(text);
    if (date && !is_whole) return RangeEnd{date_key(*date), "date"};
    const auto words = words_of(date ? sdk::text_member(sdk::time_value(*date), "iso_8601") : text);
    if (words.empty()) return object_problem(path, "has neither a letter nor a digit");
    return RangeEnd{is_whole ? as_one_word(words) : folded(text), "word"};
}

sdk::Result<RangeBounds> read_range(const std::string& field, const sdk::Json& ends,
                                    const std::string& path) {
    RangeBounds bounds;
    std::string kind;
    for (const char* name : {"gt", "gte", "lt", "lte"}) {
        const auto value = ends.find(name);
        if (value == ends.end()) continue;
        const std::string part = path + "." + name;
        auto end = read_end(field, *value, part);
        if (!end) return end.error();
        if (!kind.empty() && kind != end->kind)
            return object_problem(part, "must be of the kind of the other end");
        kind = end->kind;
        const bool is_lower = name[0] == 'g';
        std::optional<std::string>& side = is_lower ? bounds.lower : bounds.upper;
        if (side) return object_problem(part, "is a second bound on that side");
        side = std::move(end->key);
        (is_lower ? bounds.has_lower : bounds.has_upper) = std::string_view(name).ends_with('e');
    }
    if (kind.empty()) return object_problem(path, "must have gt, gte, lt or lte");
    bounds.of = kind == "word" ? RangeBounds::Of::words : RangeBounds::Of::values;
    if (kind != "word") bounds.kind = kind.substr(0, 1);
    return bounds;
}

class ObjectParser {
public:
    sdk::Result<Expression> parse(const sdk::Json& object, const std::string& path, int depth) {
        if (depth >= kMaxNesting) return problem(path, "is nested too deep");
        if (++clauses_ > kMaxClauses)
            return problem(path, fmt::format("is one of more than {} parts", kMaxClauses));
        if (!object.is_object() || object.size() != 1)
            return problem(path, "must be an object with one member, which names what it does");
        const std::string& name = object.begin().key();
        const sdk::Json& body = object.begin().value();
        const std::string part = path + "." + name;
        if (name == "query") return parse(body, part, depth + 1);
        if (name == "bool") return parse_bool(body, part, depth);
        if (!body.is_object()) return problem(part, "must be an object");
        if (name == "match_all") return parse_match_all(body, part);
        if (name == "query_string" || name == "simple_query_string")
            return parse_query_string(body, part, name == "simple_query_string");
        if (name == "multi_match") return parse_multi_match(body, part);
        if (name == "exists") return parse_exists(body, part);
        if (name == "terms") return parse_terms(body, part);
        if (name == "ids") return parse_ids(body, part);
        if (name == "range") return parse_range(body, part);
        for (const FieldForm& form : kFieldForms) {
            if (name == form.name) return parse_field_form(form, body, part);
        }
        return problem(part, "is unknown");
    }

private:
    /// `{match: {title: "text"}}` or `{match: {title: {query: "text", operator: "and"}}}`.
    struct FieldForm {
        std::string_view name;
        std::string_view value;  ///< member of the longer form
        Kind kind;
    };
    static constexpr std::array kFieldForms = {
        FieldForm{"match", "query", Kind::logic},
        FieldForm{"match_phrase", "query", Kind::phrase},
        FieldForm{"match_phrase_prefix", "query", Kind::prefix},
        FieldForm{"term", "value", Kind::phrase},
        FieldForm{"prefix", "value", Kind::prefix},
        FieldForm{"wildcard", "value", Kind::pattern},
    };

    static sdk::Error problem(const std::string& path, std::string message) {
        return object_problem(path, std::move(message));
    }

    /// The first member that is none of these.
    static sdk::Result<void> check_members(const sdk::Json& body, const std::string& path,
                                           std::initializer_list<std::string_view> known) {
        for (const auto& [name, value] : body.items()) {
            if (std::find(known.begin(), known.end(), name) == known.end())
                return problem(path + "." + name, "is unknown");
        }
        return {};
    }

    static std::optional<std::string> scalar_text(const sdk::Json& value) {
        if (value.is_string() && value.get_ref<const std::string&>().size() > kMaxTextBytes)
            return std::nullopt;
        if (value.is_string()) return value.get<std::string>();
        if (value.is_number() || value.is_boolean()) return sdk::dump_json(value);
        return std::nullopt;
    }

    static sdk::Result<std::string> read_text(const sdk::Json& body, const std::string& path,
                                              const std::string& member) {
        const auto found = body.find(member);
        if (found == body.end()) return problem(path + "." + member, "is missing");
        auto text = scalar_text(*found);
        if (!text)
            return problem(path + "." + member,
                           "must be text of at most 16 KiB, a number or a truth value");
        return *text;
    }

    static sdk::Result<double> read_boost(const sdk::Json& body, const std::string& path) {
        const auto found = body.find("boost");
        if (found == body.end()) return 1.0;
        const double boost = found->is_number() ? found->get<double>() : 0;
        if (boost > 0 && boost <= 1000) return boost;
        return problem(path + ".boost", "must be a number above 0, at most 1000");
    }

    static sdk::Result<bool> read_is_and(const sdk::Json& body, const std::string& path,
                                         const char* member) {
        const auto found = body.find(member);
        if (found == body.end()) return false;
        const std::string text = found->is_string() ? folded(found->get<std::string>()) : "";
        if (text != "and" && text != "or")
            return problem(path + "." + member, "must be \"and\" or \"or\"");
        return text == "and";
    }

    static std::string field_name(const std::string& name) {
        return name == "_all" || name == "*" ? std::string() : name;
    }

    sdk::Result<Expression> parse_match_all(const sdk::Json& body, const std::string& path) {
        if (auto known = check_members(body, path, {"boost"}); !known) return known.error();
        auto boost = read_boost(body, path);
        if (!boost) return boost.error();
        return Expression{.kind = Kind::all, .boost = *boost};
    }

    sdk::Result<Expression> parse_exists(const sdk::Json& body, const std::string& path) {
        if (auto known = check_members(body, path, {"field"}); !known) return known.error();
        auto field = read_text(body, path, "field");
        if (!field) return field.error();
        return Expression{.kind = Kind::present, .field = *field};
    }

    /// Any of the values of a list, each as `term` finds it.
    sdk::Result<Expression> any_of(const std::string& field, const sdk::Json& values,
                                   const std::string& path) {
        const bool is_list = values.is_array() && !values.empty();
        if (!is_list) return problem(path, "must be a list of values");
        clauses_ += values.size();
        if (clauses_ > kMaxClauses)
            return problem(path, fmt::format("is one of more than {} parts", kMaxClauses));
        Expression any{.kind = Kind::logic};
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto text = scalar_text(values[i]);
            if (!text) {
                return problem(fmt::format("{}[{}]", path, i),
                               "must be text of at most 16 KiB, a number or a truth value");
            }
            any.should.push_back(words_expression(Kind::phrase, field, *text, false));
            if (auto counted = count(any.should.back(), path); !counted) return counted.error();
        }
        return any;
    }

    /// `{terms: {category: ["one", "two"]}}`.
    sdk::Result<Expression> parse_terms(const sdk::Json& body, const std::string& path) {
        auto boost = read_boost(body, path);
        if (!boost) return boost.error();
        const bool has_boost = body.contains("boost");
        if (body.size() != (has_boost ? 2U : 1U)) return problem(path, "must name one field");
        const auto field =
            has_boost && body.begin().key() == "boost" ? std::next(body.begin()) : body.begin();
        auto any = any_of(field_name(field.key()), field.value(), path + "." + field.key());
        if (any) any->boost = *boost;
        return any;
    }

    /// `{ids: {values: ["..."]}}`.
    sdk::Result<Expression> parse_ids(const sdk::Json& body, const std::string& path) {
        if (auto known = check_members(body, path, {"values", "boost"}); !known)
            return known.error();
        auto boost = read_boost(body, path);
        if (!boost) return boost.error();
        const auto values = body.find("values");
        if (values == body.end()) return problem(path + ".values", "is missing");
        auto any = any_of("_doc", *values, path + ".values");
        if (any) any->boost = *boost;
        return any;
    }

    /// `{range: {price: {gte: 5, lt: 10}}}`.
    sdk::Result<Expression> parse_range(const sdk::Json& body, const std::string& path) {
        if (body.size() != 1) return problem(path, "must name one field");
        const std::string part = path + "." + body.begin().key();
        const std::string field = field_name(body.begin().key());
        const sdk::Json& ends = body.begin().value();
        if (field.empty()) return problem(part, "must be a field of its own");
        if (!ends.is_object()) return problem(part, "must be an object with gt, gte, lt or lte");
        auto known = check_members(ends, part, {"gt", "gte", "lt", "lte", "boost"});
        if (!known) return known.error();
        auto boost = read_boost(ends, part);
        if (!boost) return boost.error();
        auto bounds = read_range(field, ends, part);
        if (!bounds) return bounds.error();
        return Expression{
            .kind = Kind::range, .field = field, .bounds = std::move(*bounds), .boost = *boost};
    }

    sdk::Result<Expression> parse_query_string(const sdk::Json& body, const std::string& path,
                                               bool is_simple) {
        auto known = check_members(
            body, path, {"query", "default_field", "fields", "default_operator", "boost"});
        if (!known) return known.error();
        auto text = read_text(body, path, "query");
        if (!text) return text.error();
        auto is_and = read_is_and(body, path, "default_operator");
        if (!is_and) return is_and.error();
        auto boost = read_boost(body, path);
        if (!boost) return boost.error();
        std::vector<std::string> fields{""};
        if (body.contains("default_field")) {
            auto field = read_text(body, path, "default_field");
            if (!field) return field.error();
            fields = {field_name(*field)};
        } else if (body.contains("fields")) {
            auto read = read_fields(body, path);
            if (!read) return read.error();
            fields = std::move(*read);
        }
        Expression any{.kind = Kind::logic, .boost = *boost};
        for (const std::string& field : fields) {
            auto parsed = parse_query_text(is_simple ? plain_syntax(*text) : *text, path + ".query",
                                           {field, *is_and});
            // A simple text is never wrong: what is no syntax is words.
            if (!parsed && is_simple) parsed = words_expression(Kind::logic, field, *text, *is_and);
            if (!parsed) return parsed.error();
            any.should.push_back(std::move(*parsed));
            if (auto counted = count(any.should.back(), path); !counted) return counted.error();
        }
        return any;
    }

    static sdk::Result<std::vector<std::string>> read_fields(const sdk::Json& body,
                                                             const std::string& path) {
        const auto found = body.find("fields");
        std::vector<std::string> fields;
        const bool is_list = found != body.end() && found->is_array() && !found->empty();
        if (!is_list || found->size() > 100)
            return problem(path + ".fields", "must be a list of 1 to 100 names");
        for (const sdk::Json& field : *found) {
            if (!field.is_string()) return problem(path + ".fields", "must be a list of names");
            fields.push_back(field_name(field.get<std::string>()));
        }
        return fields;
    }

    sdk::Result<Expression> parse_multi_match(const sdk::Json& body, const std::string& path) {
        auto known = check_members(body, path, {"query", "fields", "type", "operator", "boost"});
        if (!known) return known.error();
        auto text = read_text(body, path, "query");
        if (!text) return text.error();
        auto fields = read_fields(body, path);
        if (!fields) return fields.error();
        auto is_and = read_is_and(body, path, "operator");
        if (!is_and) return is_and.error();
        auto boost = read_boost(body, path);
        if (!boost) return boost.error();
        Kind kind = Kind::logic;
        if (const auto type = body.find("type"); type != body.end()) {
            if (*type == "phrase")
                kind = Kind::phrase;
            else if (*type == "phrase_prefix")
                kind = Kind::prefix;
            else if (*type != "best_fields" && *type != "most_fields")
                return problem(path + ".type",
                               "must be best_fields, most_fields, phrase or phrase_prefix");
        }
        Expression any{.kind = Kind::logic, .boost = *boost};
        for (const std::string& field : *fields) {
            any.should.push_back(words_expression(kind, field, *text, *is_and));
            if (auto counted = count(any.should.back(), path); !counted) return counted.error();
        }
        return any;
    }

    sdk::Result<Expression> parse_field_form(const FieldForm& form, const sdk::Json& body,
                                             const std::string& path) {
        if (body.size() != 1) return problem(path, "must name one field");
        const std::string& name = body.begin().key();
        const sdk::Json& value = body.begin().value();
        const std::string part = path + "." + name;
        const std::string field = field_name(name);
        if (auto text = scalar_text(value)) {
            Expression result = words_expression(form.kind, field, *text, false);
            if (auto counted = count(result, part); !counted) return counted.error();
            return result;
        }
        if (!value.is_object()) return problem(part, "must be text, a number or an object");
        auto known = form.kind == Kind::logic
                         ? check_members(value, part, {form.value, "operator", "boost"})
                     : form.name == "match_phrase"
                         ? check_members(value, part, {form.value, "slop", "boost"})
                         : check_members(value, part, {form.value, "boost"});
        if (!known) return known.error();
        auto text = read_text(value, part, std::string(form.value));
        if (!text) return text.error();
        auto is_and = read_is_and(value, part, "operator");
        if (!is_and) return is_and.error();
        auto boost = read_boost(value, part);
        if (!boost) return boost.error();
        auto slop = read_slop(value, part);
        if (!slop) return slop.error();
        Expression result = words_expression(form.kind, field, *text, *is_and);
        result.boost = *boost;
        result.slop = *slop;
        if (auto counted = count(result, part); !counted) return counted.error();
        return result;
    }

    static sdk::Result<std::size_t> read_slop(const sdk::Json& body, const std::string& path) {
        const auto found = body.find("slop");
        if (found == body.end()) return std::size_t{0};
        if (found->is_number_unsigned() && found->get<std::uint64_t>() <= 1000)
            return found->get<std::size_t>();
        return problem(path + ".slop", "must be a number from 0 to 1000");
    }

    static Expression words_expression(Kind kind, const std::string& field, const std::string& text,
                                       bool is_and) {
        // Its words cannot be found one by one.
        if (kind == Kind::logic && is_found_whole(field)) kind = Kind::phrase;
        Expression result{.kind = kind, .field = field};
        if (kind == Kind::pattern) {
            result.words.push_back(folded(text));
        } else if (kind != Kind::logic) {
            result.words = words_of(text);
        } else {
            for (std::string& word : words_of(text)) {
                auto& group = is_and ? result.must : result.should;
                group.push_back({.kind = Kind::phrase, .field = field, .words = {std::move(word)}});
            }
        }
        return result;
    }

    sdk::Result<Expression> parse_bool(const sdk::Json& body, const std::string& path, int depth) {
        if (!body.is_object() || body.empty())
            return problem(path, "must be an object with must, should, must_not or filter");
        Expression result{.kind = Kind::logic};
        for (const auto& [name, value] : body.items()) {
            const std::string part = path + "." + name;
            auto* const group = name == "must"       ? &result.must
                                : name == "should"   ? &result.should
                                : name == "must_not" ? &result.must_not
                                : name == "filter"   ? &result.filter
                                                     : nullptr;
            if (!group) return problem(part, "is unknown");
            const bool is_list = value.is_array();
            for (std::size_t i = 0; i < (is_list ? value.size() : 1); ++i) {
                const std::string at = is_list ? fmt::format("{}[{}]", part, i) : part;
                auto parsed = parse(is_list ? value[i] : value, at, depth + 1);
                if (!parsed) return parsed;
                group->push_back(std::move(*parsed));
            }
        }
        return result;
    }

    static std::size_t words_in(const Expression& expression) {
        std::size_t words = expression.words.size();
        for (const auto* parts :
             {&expression.must, &expression.filter, &expression.should, &expression.must_not}) {
            for (const Expression& part : *parts)
                words += words_in(part);
        }
        return words;
    }

    /// Every word is looked for, in each field that it is asked of.
    sdk::Result<void> count(const Expression& part, const std::string& path) {
        words_ += words_in(part);
        if (words_ <= kMaxWords) return {};
        return problem(path, fmt::format("makes more than {} words to look for", kMaxWords));
    }

    std::size_t clauses_ = 0;
    std::size_t words_ = 0;
};

}  // namespace

sdk::Result<Expression> parse_search(const sdk::Json& search) {
    if (search.is_string()) return parse_query_text(search.get<std::string>(), "search");
    return ObjectParser().parse(search, "search", 0);
}

}  // namespace stele::node_search
