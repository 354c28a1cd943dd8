// Arbitrary bytes as a search text: refused with the place, or an expression within its bounds.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plugins/node_search/query_syntax.hpp"
#include "tests/fuzz/fuzz_check.hpp"

namespace {

using stele::node_search::Expression;
using stele::testing::fuzz_check;

std::size_t checked_clauses(const Expression& expression, int depth) {
    // A term lies in the list of an AND, which lies in the list of a parenthesis.
    fuzz_check(depth <= 2 * stele::node_search::kMaxNesting + 2);
    fuzz_check(expression.boost > 0);
    fuzz_check(expression.kind == Expression::Kind::logic || expression.must.empty());
    fuzz_check(expression.kind != Expression::Kind::pattern || expression.words.size() == 1);
    std::size_t clauses = 1;
    for (const auto* group :
         {&expression.must, &expression.filter, &expression.should, &expression.must_not}) {
        for (const Expression& part : *group)
            clauses += checked_clauses(part, depth + 1);
    }
    return clauses;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto parsed = stele::node_search::parse_query_text(text, "search");
    if (parsed.has_error()) {
        fuzz_check(parsed.error().violations.size() == 1);
        fuzz_check(parsed.error().violations[0].path == "search");
        return 0;
    }
    fuzz_check(checked_clauses(*parsed, 0) <= 3 * stele::node_search::kMaxClauses);
    return 0;
}
