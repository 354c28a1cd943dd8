#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>

#include "kernel/storage/query/query_node.hpp"
#include "kernel/storage/query/query_problems.hpp"

namespace stele::kernel::storage {

/// Turns a query document into the expression tree; one object per query. Problems are collected,
/// and the tree is only to be used when there are none.
class QueryParser {
public:
    static constexpr int kMaxDepth = 50;
    static constexpr std::size_t kMaxConditions = 1000;
    static constexpr std::size_t kMaxExpressions = 32;
    static constexpr std::size_t kMaxListed = 10000;
    /// Of the whole query, lists and objects counted with what is in them.
    static constexpr std::size_t kMaxValues = 30000;
    static constexpr std::size_t kMaxFieldLength = 1024;

    explicit QueryParser(QueryProblems& problems) : problems_(problems) {}

    QueryNode parse(const sdk::Json& query);

private:
    /// What an operator's handler works on.
    struct Place {
        const std::string& field;
        const sdk::Json& object;  ///< the operators side by side, for $regex and $options
        QueryNode& parent;
    };
    using Handler = void (QueryParser::*)(const Place&, QueryOperator, const sdk::Json& operand);
    struct Entry;
    static const Entry* find_operator(std::string_view name);

    bool check_bounds(const sdk::Json& value, int depth);

    void members(const sdk::Json& document, QueryNode& parent, bool is_top);
    void logical(const std::string& name, const sdk::Json& operand, QueryNode& parent);
    void condition(const std::string& field, const sdk::Json& operand, QueryNode& parent);
    void operators(const std::string& field, const sdk::Json& object, QueryNode& parent);
    bool is_field(std::string_view name);
    bool is_value(const sdk::Json& value);

    void compare(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void list(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void all(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void exists(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void type(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void regex(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void options(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void modulo(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void size(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void element(const Place& place, QueryOperator operation, const sdk::Json& operand);
    void negation(const Place& place, QueryOperator operation, const sdk::Json& operand);

    QueryNode& add_leaf(const Place& place, QueryOperator operation, sdk::Json operand);

    QueryProblems& problems_;
    std::size_t values_ = 0;
    std::size_t conditions_ = 0;
    std::size_t expressions_ = 0;
    /// What they cost to compile.
    std::size_t weight_ = 0;
    bool has_overflowed_ = false;
};

/// An operator that stands beside others under a field (`$gt`), told from ones that stand alone
/// (`$and`) and from other names.
bool is_known_operator(std::string_view name);

}  // namespace stele::kernel::storage
