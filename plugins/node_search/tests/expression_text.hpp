#pragma once

#include <string>

#include <fmt/format.h>

#include "expression.hpp"

namespace stele::node_search {

/// An expression on one line, for tests: `title:[war and]~2^3`, `(+[a] -[b] [c] #[d])`.
inline std::string expression_text(const Expression& expression) {
    using Kind = Expression::Kind;
    std::string text = expression.field.empty() ? "" : expression.field + ":";
    std::string words;
    for (const std::string& word : expression.words)
        words += (words.empty() ? "" : " ") + word;
    const auto add_group = [&](const char* sign, const std::vector<Expression>& group) {
        for (const Expression& part : group)
            text += fmt::format("{}{}{}", text == "(" ? "" : " ", sign, expression_text(part));
    };
    switch (expression.kind) {
        case Kind::all:
            text += "*";
            break;
        case Kind::present:
            text += "present";
            break;
        case Kind::phrase:
            text += "[" + words + "]";
            break;
        case Kind::prefix:
            text += "[" + words + "..]";
            break;
        case Kind::pattern:
            text += "/" + words + "/";
            break;
        case Kind::fuzzy:
            text += fmt::format("[{}]~{}", words, expression.edits);
            break;
        case Kind::range: {
            const RangeBounds& bounds = expression.bounds;
            text +=
                fmt::format("{}{}..{}{}", bounds.has_lower ? '[' : '{', bounds.lower.value_or("*"),
                            bounds.upper.value_or("*"), bounds.has_upper ? ']' : '}');
            break;
        }
        case Kind::logic:
            text = "(";
            add_group("+", expression.must);
            add_group("#", expression.filter);
            add_group("", expression.should);
            add_group("-", expression.must_not);
            text += ")";
            break;
    }
    if (expression.slop > 0) text += fmt::format("~{}", expression.slop);
    if (expression.boost != 1) text += fmt::format("^{}", expression.boost);
    return text;
}

}  // namespace stele::node_search
