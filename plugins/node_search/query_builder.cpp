#include "query_builder.hpp"

#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <stele/sdk/text.hpp>

#include "node_text.hpp"
#include "terms.hpp"
#include "vocabulary.hpp"
#include "words.hpp"

namespace stele::node_search {

namespace {

using Kind = Expression::Kind;
using Built = sdk::Result<std::optional<Xapian::Query>>;
using Queries = std::vector<Xapian::Query>;

/// Every document, with a score.
Xapian::Query every_document() {
    return Xapian::Query((new Xapian::FixedWeightPostingSource(1.0))->release());
}

Xapian::Query joined(Xapian::Query::op operation, const Queries& parts) {
    return Xapian::Query(operation, parts.begin(), parts.end());
}

/// What stands before the first wildcard.
std::string plain_beginning(const std::string& pattern) {
    return pattern.substr(0, pattern.find_first_of("*?"));
}

std::size_t character_count(const std::string& word) {
    return static_cast<std::size_t>(
        std::distance(Xapian::Utf8Iterator(word), Xapian::Utf8Iterator()));
}

class QueryBuilder {
public:
    QueryBuilder(const Xapian::Database& database, const sdk::ContentSpace& space)
        : database_(database), terms_(space) {}

    Built build(const Expression& expression) {
        Built built = build_unboosted(expression);
        if (!built || !*built || expression.boost == 1) return built;
        return std::optional(Xapian::Query(expression.boost, **built));
    }

private:
    Built build_unboosted(const Expression& expression) {
        switch (expression.kind) {
            case Kind::all:
                return std::optional(every_document());
            case Kind::present:
                if (place_of_common(expression.field)) return std::optional(every_document());
                return std::optional(
                    Xapian::Query(Xapian::Query::OP_FILTER, every_document(),
                                  Xapian::Query(terms_.present(expression.field))));
            case Kind::phrase:
                return phrase(expression);
            case Kind::prefix:
                return prefix(expression);
            case Kind::pattern:
                return pattern(expression);
            case Kind::fuzzy:
                return fuzzy(expression);
            case Kind::range:
                return range(expression);
            case Kind::logic:
                return logic(expression);
        }
        return std::optional<Xapian::Query>();
    }

    static std::vector<std::string> words_in_field(const Expression& expression) {
        if (!is_found_whole(expression.field) || expression.words.empty()) return expression.words;
        return {as_one_word(expression.words)};
    }

    Built phrase(const Expression& expression) {
        const auto words = words_in_field(expression);
        if (words.empty()) return std::optional<Xapian::Query>();
        Queries parts;
        for (const std::string& word : words)
            parts.emplace_back(terms_.word(expression.field, word));
        Built placed = in_order(expression, parts);
        const bool is_maybe_whole = expression.field.empty() && words.size() > 1;
        if (!placed || !is_maybe_whole) return placed;
        // What is found whole has no places.
        return std::optional(
            Xapian::Query(Xapian::Query::OP_OR, **placed,
                          Xapian::Query(terms_.word(expression.field, as_one_word(words)))));
    }

    static Built in_order(const Expression& expression, const Queries& parts) {
        if (parts.size() == 1) return std::optional(parts.front());
        if (is_of_the_server(expression.field))
            return std::optional(joined(Xapian::Query::OP_AND, parts));
        const auto window = static_cast<Xapian::termcount>(parts.size() + expression.slop);
        return std::optional(
            Xapian::Query(Xapian::Query::OP_PHRASE, parts.begin(), parts.end(), window));
    }

    Built prefix(const Expression& expression) {
        const auto words = words_in_field(expression);
        if (words.empty()) return std::optional<Xapian::Query>();
        Queries parts;
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            parts.emplace_back(terms_.word(expression.field, words[i]));
        auto last = fitting(expression.field, words.back(), [](std::string_view) { return true; });
        if (!last) return last.error();
        // Xapian takes terms joined by OR into a phrase, and nothing else.
        parts.push_back(
            joined(words.size() == 1 ? Xapian::Query::OP_SYNONYM : Xapian::Query::OP_OR, *last));
        return in_order(expression, parts);
    }

    Built pattern(const Expression& expression) {
        const std::string& wanted = expression.words.front();
        const std::string beginning = plain_beginning(wanted);
        if (is_found_whole(expression.field) && wanted == beginning + '*')
            return one_of(fitting(expression.field, whole_beginning(beginning),
                                  [](std::string_view) { return true; }));
        return one_of(fitting(expression.field, beginning,
                              [&](std::string_view word) { return fits_pattern(word, wanted); }));
    }

    /// What such values begin with; a sign at the end ends the last word.
    static std::string whole_beginning(const std::string& text) {
        const auto words = words_of(text);
        std::string beginning = as_one_word(words);
        if (!words.empty() && !text.ends_with(words.back())) beginning += ' ';
        return beginning;
    }

    Built range(const Expression& expression) {
        const RangeBounds& bounds = expression.bounds;
        const std::string terms = bounds.of == RangeBounds::Of::words
                                      ? terms_.words(expression.field)
                                      : terms_.values(expression.field);
        auto fits = look_at_range(database_, terms, bounds, left_of_ranges_);
        if (!fits) return fits.error();
        return std::optional(Xapian::Query((new RangeSource(terms, bounds))->release()));
    }

    Built fuzzy(const Expression& expression) {
        if (expression.words.empty()) return std::optional<Xapian::Query>();
        const std::string& wanted = expression.words.front();
        const std::size_t length = character_count(wanted);
        const std::size_t by_length = length < 3 ? 0 : length < 6 ? 1 : 2;
        const std::size_t edits = expression.edits > 0 ? expression.edits : by_length;
        const std::string first(sdk::first_character(wanted));
        return one_of(fitting(expression.field, first, [&](std::string_view word) {
            return edit_distance(word, wanted, edits) <= edits;
        }));
    }

    sdk::Result<Queries> fitting(const std::string& field, const std::string& beginning,
                                 const std::function<bool(std::string_view)>& fits) {
        auto terms = fitting_terms(database_, terms_.words(field), beginning, fits, left_);
        if (!terms) return terms.error();
        return Queries(terms->begin(), terms->end());
    }

    static Built one_of(const sdk::Result<Queries>& terms) {
        if (!terms) return terms.error();
        return std::optional(joined(Xapian::Query::OP_SYNONYM, *terms));
    }

    /// What is left of the parts.
    sdk::Result<Queries> build_all(const std::vector<Expression>& parts) {
        Queries queries;
        for (const Expression& part : parts) {
            Built built = build(part);
            if (!built) return built.error();
            if (*built) queries.push_back(std::move(**built));
        }
        return queries;
    }

    Built logic(const Expression& expression) {
        auto must = build_all(expression.must);
        if (!must) return must.error();
        auto filter = build_all(expression.filter);
        if (!filter) return filter.error();
        auto should = build_all(expression.should);
        if (!should) return should.error();
        auto must_not = build_all(expression.must_not);
        if (!must_not) return must_not.error();
        const bool is_nothing_left =
            must->empty() && filter->empty() && should->empty() && must_not->empty();
        if (is_nothing_left) return std::optional<Xapian::Query>();
        const bool needs_should = must->empty() && filter->empty() && !expression.should.empty();
        if (needs_should && should->empty()) return std::optional<Xapian::Query>();

        Xapian::Query query = !must->empty() ? joined(Xapian::Query::OP_AND, *must)
                              : needs_should ? joined(Xapian::Query::OP_OR, *should)
                                             : every_document();
        if (!filter->empty())
            query = Xapian::Query(Xapian::Query::OP_FILTER, query,
                                  joined(Xapian::Query::OP_AND, *filter));
        if (!needs_should && !should->empty())
            query = Xapian::Query(Xapian::Query::OP_AND_MAYBE, query,
                                  joined(Xapian::Query::OP_OR, *should));
        if (!must_not->empty())
            query = Xapian::Query(Xapian::Query::OP_AND_NOT, query,
                                  joined(Xapian::Query::OP_OR, *must_not));
        return std::optional(query);
    }

    const Xapian::Database& database_;
    TermsLeft left_;
    /// Terms and documents that the ranges of a search may look at.
    std::size_t left_of_ranges_ = 1'000'000;
    Terms terms_;
};

}  // namespace

std::string revision_value(std::uint64_t revision) {
    std::string bytes(8, '\0');
    for (int i = 7; i >= 0; --i, revision >>= 8)
        bytes[static_cast<std::size_t>(i)] = static_cast<char>(revision & 0xFF);
    return bytes;
}

sdk::Result<std::optional<Xapian::Query>> build_query(const Xapian::Database& database,
                                                      const sdk::ContentSpace& space,
                                                      const Expression& expression) {
    return QueryBuilder(database, space).build(expression);
}

Xapian::Query view_query(const sdk::ContentView& view, std::uint64_t indexed_to) {
    const Terms terms(view.space);
    Queries lines;
    for (const sdk::ContentView::Link& link : view.links) {
        Queries conditions = {
            Xapian::Query(terms.line(link.line)),
            Xapian::Query(Xapian::Query::OP_VALUE_GE, kDiedSlot,
                          revision_value(link.last_revision + 1)),
        };
        // Nothing came later.
        if (link.last_revision != indexed_to) {
            conditions.emplace_back(Xapian::Query::OP_VALUE_LE, kBornSlot,
                                    revision_value(link.last_revision));
        }
        lines.push_back(joined(Xapian::Query::OP_AND, conditions));
    }
    return joined(Xapian::Query::OP_OR, lines);
}

}  // namespace stele::node_search
