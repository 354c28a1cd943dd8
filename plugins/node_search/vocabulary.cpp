#include "vocabulary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <stele/sdk/error.hpp>
#include <stele/sdk/text.hpp>

namespace stele::node_search {

namespace {

constexpr std::size_t kMaxFitting = 2000;

std::vector<std::string_view> characters_of(std::string_view text) {
    std::vector<std::string_view> characters;
    for (std::size_t place = 0; place < text.size(); place += characters.back().size())
        characters.push_back(sdk::first_character(text.substr(place)));
    return characters;
}

sdk::Error too_wide(std::string_view beginning) {
    return sdk::make_error(
        sdk::ErrorKind::invalid, "node_search.pattern_too_wide",
        fmt::format(
            "search: too many words fit the pattern{}; give more of its characters",
            beginning.empty() ? std::string() : fmt::format(" that begins with '{}'", beginning)));
}

}  // namespace

bool fits_pattern(std::string_view word, std::string_view pattern) {
    std::size_t in_word = 0;
    std::size_t in_pattern = 0;
    std::size_t star = std::string_view::npos;
    std::size_t behind_star = 0;
    while (in_word < word.size()) {
        const char wanted = in_pattern < pattern.size() ? pattern[in_pattern] : '\0';
        if (wanted == '*') {
            star = in_pattern++;
            behind_star = in_word;
        } else if (wanted == '?') {
            in_word += sdk::first_character(word.substr(in_word)).size();
            ++in_pattern;
        } else if (in_pattern < pattern.size() && wanted == word[in_word]) {
            ++in_word;
            ++in_pattern;
        } else if (star != std::string_view::npos) {
            in_pattern = star + 1;
            behind_star += sdk::first_character(word.substr(behind_star)).size();
            in_word = behind_star;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t most) {
    const auto from = characters_of(left);
    const auto to = characters_of(right);
    if (std::max(from.size(), to.size()) - std::min(from.size(), to.size()) > most) return most + 1;
    std::vector<std::size_t> row(to.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t changed = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

sdk::Result<std::vector<std::string>> fitting_terms(
    const Xapian::Database& database, const std::string& terms, const std::string& beginning,
    const std::function<bool(std::string_view word)>& fits, TermsLeft& left) {
    std::vector<std::string> fitting;
    const std::string from = terms + beginning;
    const auto end = database.allterms_end(from);
    for (auto term = database.allterms_begin(from); term != end; ++term) {
        if (left.looked_at == 0) return too_wide(beginning);
        --left.looked_at;
        std::string whole = *term;
        if (!fits(std::string_view(whole).substr(terms.size()))) continue;
        if (fitting.size() == kMaxFitting || left.fitting == 0) return too_wide(beginning);
        --left.fitting;
        fitting.push_back(std::move(whole));
    }
    return fitting;
}

namespace {

/// Where the terms of a range begin; `visit` answers false to end.
void for_each_between(const Xapian::Database& database, const std::string& terms,
                      const RangeBounds& bounds,
                      const std::function<bool(const Xapian::TermIterator& term)>& visit) {
    const std::string prefix = terms + bounds.kind;
    const auto end = database.allterms_end(prefix);
    auto term = database.allterms_begin(prefix);
    if (bounds.lower) term.skip_to(terms + *bounds.lower);
    for (; term != end; ++term) {
        const std::string whole = *term;
        const std::string_view key = std::string_view(whole).substr(terms.size());
        if (bounds.upper && key > *bounds.upper) return;
        if (bounds.holds(key) && !visit(term)) return;
    }
}

}  // namespace

sdk::Result<void> look_at_range(const Xapian::Database& database, const std::string& terms,
                                const RangeBounds& bounds, std::size_t& left) {
    bool is_too_wide = false;
    for_each_between(database, terms, bounds, [&](const Xapian::TermIterator& term) {
        const std::size_t needed = 1 + std::size_t{term.get_termfreq()};
        is_too_wide = needed > left;
        if (!is_too_wide) left -= needed;
        return !is_too_wide;
    });
    if (!is_too_wide) return {};
    return sdk::make_error(sdk::ErrorKind::invalid, "node_search.range_too_wide",
                           "search: too many values lie in the range; bring its ends together");
}

void RangeSource::init(const Xapian::Database& database) {
    documents_.clear();
    next_ = 0;
    for_each_between(database, terms_, bounds_, [&](const Xapian::TermIterator& term) {
        const std::string whole = *term;
        documents_.insert(documents_.end(), database.postlist_begin(whole),
                          database.postlist_end(whole));
        return true;
    });
    std::sort(documents_.begin(), documents_.end());
    documents_.erase(std::unique(documents_.begin(), documents_.end()), documents_.end());
    set_maxweight(kScore);
}

void RangeSource::next(double) {
    ++next_;
}

void RangeSource::skip_to(Xapian::docid document, double) {
    const auto begin = documents_.begin() + static_cast<std::ptrdiff_t>(next_ > 0 ? next_ - 1 : 0);
    const auto found = std::lower_bound(begin, documents_.end(), document);
    next_ = static_cast<std::size_t>(found - documents_.begin()) + 1;
}

}  // namespace stele::node_search
