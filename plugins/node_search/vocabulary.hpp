#pragma once

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

/// The terms of an index that begin with `terms` and whose rest begins with `beginning` and fits.
/// Fails with `invalid` (`node_search.pattern_too_wide`) when too many do, or too many would have
/// to be looked at.
sdk::Result<std::vector<std::string>> fitting_terms(
    const Xapian::Database& database, const std::string& terms, const std::string& beginning,
    const std::function<bool(std::string_view word)>& fits);

}  // namespace stele::node_search
