#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

#include "expression.hpp"

namespace stele::node_search {

struct SyntaxOptions {
    /// Field of terms that name none; empty: all fields.
    std::string field = {};
    /// Terms side by side must all fit.
    bool is_and = false;
};

/// Reads a text in query-string syntax (docs/reference/search.md). Fails with `invalid`; the
/// violation's path is `part`, its message names the character at fault, counted from 1.
sdk::Result<Expression> parse_query_text(std::string_view text, std::string_view part,
                                         const SyntaxOptions& options = {});

}  // namespace stele::node_search
