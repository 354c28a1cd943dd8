#include "query_objects.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "node_text.hpp"
#include "query_syntax.hpp"
#include "words.hpp"

namespace stele::node_search {

namespace {

using Kind = Expression::Kind;

class ObjectParser {
public:
    sdk::Result<Expression> parse(const sdk::Json& object, const std::string& path, int depth) {
        if (depth > kDeepestNesting) return problem(path, "is nested too deep");
        if (++clauses_ > kMostClauses)
            return problem(path, fmt::format("is one of more than {} parts", kMostClauses));
        if (!object.is_object() || object.size() != 1)
            return problem(path, "must be an object with one member, which names what it does");
        const std::string& name = object.begin().key();
        const sdk::Json& body = object.begin().value();
        const std::string part = path + "." + name;
        if (name == "query") return parse(body, part, depth + 1);
        if (name == "bool") return parse_bool(body, part, depth);
        if (!body.is_object()) return problem(part, "must be an object");
        if (name == "match_all") return parse_match_all(body, part);
        if (name == "query_string") return parse_query_string(body, part);
        if (name == "multi_match") return parse_multi_match(body, part);
        if (name == "exists") return parse_exists(body, part);
        if (name == "terms") return parse_terms(body, part);
        if (name == "ids") return parse_ids(body, part);
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
        return sdk::make_error({{path, "node_search.object_invalid", std::move(message)}});
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
        if (value.is_string() && value.get_ref<const std::string&>().size() > kMostTextBytes)
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
        if (clauses_ > kMostClauses)
            return problem(path, fmt::format("is one of more than {} parts", kMostClauses));
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

    sdk::Result<Expression> parse_query_string(const sdk::Json& body, const std::string& path) {
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
            auto parsed = parse_query_text(*text, path + ".query", {field, *is_and});
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
        if (words_ <= kMostWords) return {};
        return problem(path, fmt::format("makes more than {} words to look for", kMostWords));
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
