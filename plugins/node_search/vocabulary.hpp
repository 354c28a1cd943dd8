#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <xapian.h>

#include <stele/sdk/result.hpp>

namespace stele::node_search {

/// Whether a word fits a pattern: `*` stands for any run, `?` for one character (UTF-8).
bool fits_pattern(std::string_view word, std::string_view pattern);

/// Edits (inserted, left out, changed characters) between two words, or more than `most`.
std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t most);

/// How many terms may still be looked at for a search, and how many may fit.
struct TermsLeft {
    std::size_t looked_at = 1'000'000;
    std::size_t fitting = 20'000;
};

/// The terms of an index that begin with `terms` and whose rest begins with `beginning` and fits.
/// Fails with `invalid` (`node_search.pattern_too_wide`) when too many do, or too many would have
/// to be looked at, for this pattern or with those that came before it in the search.
sdk::Result<std::vector<std::string>> fitting_terms(
    const Xapian::Database& database, const std::string& terms, const std::string& beginning,
    const std::function<bool(std::string_view word)>& fits, TermsLeft& left);

}  // namespace stele::node_search
