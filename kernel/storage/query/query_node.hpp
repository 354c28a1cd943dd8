#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernel/storage/query/query.hpp"

namespace re2 {
class RE2;
}

namespace stele::kernel::storage {

enum class QueryOperator {
    all_of,    ///< children: $and, and the members of a document
    any_of,    ///< children: $or
    none_of,   ///< children: $nor
    negation,  ///< one child: $not
    equal,     ///< operand; an array also matches when one element does
    not_equal,
    greater,
    greater_or_equal,
    less,
    less_or_equal,
    in,  ///< operand is an array, sorted (see `operand_less`); no regular expressions in it
    not_in,
    exists,   ///< operand is a boolean
    type,     ///< operand is an array of type names
    regex,    ///< `expression`; operand is the pattern as written
    modulo,   ///< operand [divisor, remainder], both integers
    all,      ///< operand is an array of values
    size,     ///< operand is a count
    element,  ///< one child: $elemMatch; field paths inside are relative to the element
};

/// A node of the expression tree. Leaves name a field by its dotted path. Nested `all_of` nodes are
/// merged, so that what all records must meet stands directly under the root.
struct Query::Node {
    QueryOperator operation = QueryOperator::all_of;
    /// Empty inside an `element` with `takes_values`: the condition is on the element itself.
    std::string field;
    sdk::Json operand;
    std::shared_ptr<const re2::RE2> expression;
    std::vector<Node> children;
    /// `element` only: the child speaks of the elements themselves, not of members of objects.
    bool takes_values = false;
};

/// One condition that a planner can answer from an index; see planner.hpp.
using QueryNode = Query::Node;

}  // namespace stele::kernel::storage
