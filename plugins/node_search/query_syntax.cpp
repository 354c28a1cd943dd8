#include "query_syntax.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <stele/sdk/text.hpp>

#include "words.hpp"

namespace stele::node_search {

namespace {

constexpr double kMaxBoost = 1000;

enum class Occurrence { should, must, must_not };

/// A run of characters up to a blank or a character with a meaning.
struct Run {
    std::string text;     ///< without backslashes
    std::string pattern;  ///< wildcards kept apart from what a backslash made plain
    bool has_wildcard = false;
    bool is_plain = true;  ///< no backslash: may be an operator
};

bool is_blank(char character) {
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

bool ends_run(char character) {
    return is_blank(character) ||
           std::string_view("()\":^~").find(character) != std::string_view::npos;
}

class TextParser {
public:
    TextParser(std::string_view text, std::string_view part, const SyntaxOptions& options)
        : text_(text), part_(part), options_(options) {}

    sdk::Result<Expression> parse() {
        if (text_.size() > kMaxTextBytes)
            return problem(fmt::format("must not have more than {} bytes", kMaxTextBytes));
        skip_blanks();
        if (at_end()) return problem("must not be empty");
        auto parsed = parse_list(options_.field);
        if (!parsed) return parsed;
        if (!at_end()) return problem_here("a parenthesis is closed that was not opened");
        return parsed;
    }

private:
    bool at_end() const { return place_ == text_.size(); }
    char present() const { return at_end() ? '\0' : text_[place_]; }
    void skip_blanks() {
        while (!at_end() && is_blank(text_[place_]))
            ++place_;
    }

    sdk::Error problem(std::string message) const {
        return sdk::make_error(
            {{std::string(part_), "node_search.text_invalid", std::move(message)}});
    }
    sdk::Error problem_here(std::string_view message) const {
        const std::size_t characters = sdk::character_count(text_.substr(0, place_));
        return problem(fmt::format("at character {}: {}", characters + 1, message));
    }

    /// Takes an operator that is written as a word or as two characters.
    bool take_operator(std::string_view word, std::string_view sign) {
        const std::string_view rest = text_.substr(place_);
        if (rest.starts_with(sign)) {
            place_ += sign.size();
            return true;
        }
        if (!rest.starts_with(word)) return false;
        if (rest.size() > word.size() && !is_blank(rest[word.size()]) && rest[word.size()] != '(')
            return false;
        place_ += word.size();
        return true;
    }
    bool take_and() { return take_operator("AND", "&&"); }
    bool take_or() { return take_operator("OR", "||"); }

    /// `a b OR c`: until a parenthesis closes or the text ends.
    sdk::Result<Expression> parse_list(const std::string& field) {
        // The outermost is in no parenthesis.
        if (depth_++ > kMaxNesting) {
            --place_;
            return problem_here(fmt::format("nested deeper than {}", kMaxNesting));
        }
        Expression list{.kind = Expression::Kind::logic};
        while (true) {
            skip_blanks();
            if (at_end() || present() == ')') break;
            if (take_or()) {
                const bool is_first = is_empty(list);
                skip_blanks();
                if (is_first || at_end() || present() == ')')
                    return problem_here("OR needs a term on both sides");
                is_after_or_ = true;
            }
            if (auto added = parse_and(field, list); !added) return added.error();
        }
        --depth_;
        if (is_empty(list)) return problem_here("a term is missing");
        return simplified(std::move(list));
    }

    static bool is_empty(const Expression& list) {
        return list.must.empty() && list.should.empty() && list.must_not.empty();
    }
    /// A list of one is that one.
    static Expression simplified(Expression list) {
        if (!list.must_not.empty() || list.must.size() + list.should.size() != 1) return list;
        auto& only = list.must.empty() ? list.should : list.must;
        Expression one = std::move(only.front());
        return one;
    }

    /// `a AND b`, or a single term, added to the list.
    sdk::Result<void> parse_and(const std::string& field, Expression& list) {
        Occurrence first = options_.is_and && !is_after_or_ ? Occurrence::must : Occurrence::should;
        is_after_or_ = false;
        auto term = parse_signed(field, first);
        if (!term) return term.error();
        skip_blanks();
        if (!take_and()) {
            add(list, first, std::move(*term));
            return {};
        }
        Expression joined{.kind = Expression::Kind::logic};
        add(joined, first == Occurrence::must_not ? first : Occurrence::must, std::move(*term));
        do {
            skip_blanks();
            if (at_end() || present() == ')') return problem_here("AND needs a term on both sides");
            Occurrence next = Occurrence::must;
            auto more = parse_signed(field, next);
            if (!more) return more.error();
            add(joined, next, std::move(*more));
            skip_blanks();
        } while (take_and());
        add(list, Occurrence::should, simplified(std::move(joined)));
        return {};
    }

    static void add(Expression& list, Occurrence occurrence, Expression term) {
        auto& group = occurrence == Occurrence::must       ? list.must
                      : occurrence == Occurrence::must_not ? list.must_not
                                                           : list.should;
        group.push_back(std::move(term));
    }

    /// A sign stands right before its term; alone it is text.
    bool take_sign(char sign) {
        if (present() != sign || place_ + 1 == text_.size() || is_blank(text_[place_ + 1]))
            return false;
        ++place_;
        return true;
    }
    bool take_not() {
        const std::string_view rest = text_.substr(place_);
        if (!rest.starts_with("NOT") || rest.size() == 3 || (!is_blank(rest[3]) && rest[3] != '('))
            return false;
        place_ += 3;
        return true;
    }

    /// A term behind `+`, `-`, `!` or NOT, which decide the occurrence.
    sdk::Result<Expression> parse_signed(const std::string& field, Occurrence& occurrence) {
        bool is_refused = false;
        bool has_sign = true;
        while (has_sign) {
            has_sign = false;
            if (take_not() || take_sign('!') || take_sign('-')) {
                is_refused = !is_refused;
                occurrence = is_refused ? Occurrence::must_not : Occurrence::must;
                has_sign = true;
            } else if (take_sign('+')) {
                if (!is_refused) occurrence = Occurrence::must;
                has_sign = true;
            }
            if (has_sign) skip_blanks();
        }
        if (at_end() || present() == ')') return problem_here("a term is missing");
        return parse_term(field);
    }

    sdk::Result<Expression> parse_term(const std::string& field) {
        if (++clauses_ > kMaxClauses)
            return problem(fmt::format("must not have more than {} terms", kMaxClauses));
        auto term = parse_unboosted(field);
        if (!term || present() != '^') return term;
        ++place_;
        const auto boost = read_number();
        if (!boost || *boost <= 0 || *boost > kMaxBoost)
            return problem_here("^ needs a number above 0, at most 1000");
        term->boost = std::clamp(term->boost * *boost, 1 / kMaxBoost, kMaxBoost);
        return term;
    }

    sdk::Result<Expression> parse_unboosted(const std::string& field) {
        if (present() == '(') return parse_group(field);
        if (present() == '"') return parse_phrase(field);
        if (present() == '[' || present() == '{')
            return problem_here("ranges are not searched; queries have them");
        Run run = read_run();
        if (present() == ':' && !run.text.empty() && !is_address()) return parse_field(run);
        while (present() == ':') {
            // `http://a` and `::` are text.
            run.text += ':';
            run.pattern += ':';
            ++place_;
            const Run more = read_run();
            run.text += more.text;
            run.pattern += more.pattern;
            run.has_wildcard = run.has_wildcard || more.has_wildcard;
        }
        if (run.text.empty()) return problem_here("a term is missing");
        if (run.is_plain && (run.text == "AND" || run.text == "OR" || run.text == "NOT"))
            return problem_here(run.text + " needs a term on both sides");
        return made_of(field, run);
    }

    bool is_address() const { return text_.substr(place_).starts_with("://"); }

    sdk::Result<Expression> parse_field(const Run& name) {
        ++place_;
        if (name.has_wildcard) return problem_here("the name of a field has no wildcards");
        skip_blanks();
        if (at_end() || present() == ')')
            return problem_here(fmt::format("nothing stands behind '{}:'", name.text));
        if (name.text == "_exists_") {
            const Run path = read_run();
            if (path.text.empty()) return problem_here("_exists_: needs the name of a field");
            return Expression{.kind = Expression::Kind::present, .field = path.text};
        }
        if (present() == '(') return parse_group(name.text);
        if (present() == '"') return parse_phrase(name.text);
        if (present() == '[' || present() == '{')
            return problem_here("ranges are not searched; queries have them");
        const Run run = read_run();
        if (run.text.empty())
            return problem_here(fmt::format("nothing stands behind '{}:'", name.text));
        return made_of(name.text, run);
    }

    sdk::Result<Expression> parse_group(const std::string& field) {
        ++place_;
        const bool is_after_or = std::exchange(is_after_or_, false);
        auto group = parse_list(field);
        if (!group) return group;
        if (present() != ')') return problem_here("a parenthesis is not closed");
        ++place_;
        is_after_or_ = is_after_or;
        return group;
    }

    sdk::Result<Expression> parse_phrase(const std::string& field) {
        std::string phrase;
        for (++place_; present() != '"'; ++place_) {
            if (present() == '\\') ++place_;
            if (at_end()) return problem_here("a quotation mark is not closed");
            phrase += present();
        }
        ++place_;
        Expression result{
            .kind = Expression::Kind::phrase, .field = field, .words = words_of(phrase)};
        if (present() != '~') return result;
        ++place_;
        const auto slop = read_number();
        if (!slop || *slop < 0 || *slop > 1000)
            return problem_here("~ behind a phrase needs a number from 0 to 1000");
        result.slop = static_cast<std::size_t>(*slop);
        return result;
    }

    sdk::Result<Expression> made_of(const std::string& field, const Run& run) {
        Expression result{.kind = Expression::Kind::phrase, .field = field};
        if (present() == '~') return parse_fuzzy(std::move(result), run);
        if (!run.has_wildcard) {
            result.words = words_of(run.text);
            return result;
        }
        if (run.text == "*") {
            result.kind = field.empty() ? Expression::Kind::all : Expression::Kind::present;
            return result;
        }
        result.kind = Expression::Kind::pattern;
        result.words.push_back(folded(run.pattern));
        return result;
    }

    sdk::Result<Expression> parse_fuzzy(Expression result, const Run& run) {
        ++place_;
        const auto edits = read_number();
        if (edits && *edits != 1 && *edits != 2)
            return problem_here("~ behind a word takes 1 or 2 edits");
        result.words = words_of(run.text);
        if (run.has_wildcard || result.words.size() > 1)
            return problem_here("~ stands behind a single word without wildcards");
        result.kind = Expression::Kind::fuzzy;
        result.edits = edits ? static_cast<std::size_t>(*edits) : 0;
        return result;
    }

    /// A backslash takes the meaning of the character behind it; words hold neither `*` nor `?`, so
    /// a plain one is left out of a pattern.
    Run read_run() {
        Run run;
        for (; !at_end() && !ends_run(present()); ++place_) {
            if (present() == '\\' && place_ + 1 < text_.size()) {
                ++place_;
                run.is_plain = false;
                run.text += present();
                if (present() != '*' && present() != '?') run.pattern += present();
                continue;
            }
            run.has_wildcard = run.has_wildcard || present() == '*' || present() == '?';
            run.text += present();
            run.pattern += present();
        }
        return run;
    }

    std::optional<double> read_number() {
        if (present() < '0' || present() > '9') return std::nullopt;
        double number = 0;
        const char* const begin = text_.data() + place_;
        const auto [end, failed] =
            std::from_chars(begin, text_.data() + text_.size(), number, std::chars_format::fixed);
        if (failed != std::errc()) return std::nullopt;
        place_ += static_cast<std::size_t>(end - begin);
        return number;
    }

    std::string_view text_;
    std::string_view part_;
    const SyntaxOptions& options_;
    std::size_t place_ = 0;
    std::size_t clauses_ = 0;
    int depth_ = 0;
    bool is_after_or_ = false;
};

}  // namespace

sdk::Result<Expression> parse_query_text(std::string_view text, std::string_view part,
                                         const SyntaxOptions& options) {
    return TextParser(text, part, options).parse();
}

}  // namespace stele::node_search
