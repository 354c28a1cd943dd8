#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "range_values.hpp"

namespace stele::node_search {

/// What a search asks for, whichever way it was written. Words and patterns are folded.
struct Expression {
    enum class Kind {
        all,      ///< every node
        present,  ///< nodes with a value in the field
        phrase,   ///< the words one after the other
        prefix,   ///< the words one after the other, the last one may go on
        pattern,  ///< one word: `*` any run, `?` one character
        fuzzy,    ///< one word, spelled nearly so
        range,    ///< a value between the bounds
        logic,    ///< of `must`, `filter`, `should` and `must_not`
    };

    Kind kind = Kind::all;
    /// Dotted path; empty: all fields.
    std::string field = {};
    std::vector<std::string> words = {};
    /// How many other words may stand between those of a phrase.
    std::size_t slop = 0;
    /// Edits of a fuzzy word; 0: by its length.
    std::size_t edits = 0;
    RangeBounds bounds = {};
    double boost = 1;
    std::vector<Expression> must = {};
    /// Like `must`, without a share in the score.
    std::vector<Expression> filter = {};
    /// One of them must fit where there is neither `must` nor `filter`; otherwise they only add to
    /// the score.
    std::vector<Expression> should = {};
    std::vector<Expression> must_not = {};
};

inline constexpr std::size_t kMaxClauses = 1000;
inline constexpr std::size_t kMaxWords = 10'000;
/// Of one text.
inline constexpr std::size_t kMaxTextBytes = 16 * 1024;
inline constexpr int kMaxNesting = 50;

}  // namespace stele::node_search
