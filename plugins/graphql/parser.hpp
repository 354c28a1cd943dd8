#pragma once

#include <string_view>

#include "syntax.hpp"

namespace stele::graphql {

struct Parsed {
    Document document;
    /// Empty when the text is a document.
    Problems problems;
};

Parsed parse_query(std::string_view text);

}  // namespace stele::graphql
