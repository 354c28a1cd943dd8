#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "kernel/storage/query/query_node.hpp"

namespace stele::kernel::pagination {
class ScannedText;
}

namespace stele::kernel::storage {

struct Scalar;

/// Whether a record's text (with its padding) matches: any query, any text.
bool matches_node(const QueryNode& node, std::string_view text);

/// Whether one value, neither object nor array, meets a leaf; nothing stands for a missing value.
/// Negative operators are told as what they negate: `not_equal` as `equal`, `not_in` as `in`.
bool scalar_matches(const QueryNode& leaf, const Scalar* value);

/// Whether the operator asks that no value meets its positive form.
bool is_negative(const QueryNode& leaf);

/// Matches what most queries are: a few conditions that must all hold. Reads the text only as far
/// as needed. The nodes must outlive it.
class FastMatch {
public:
    /// Nothing when the query is of another kind.
    static std::unique_ptr<const FastMatch> make(const QueryNode& root);

    /// Nothing when the text has an array or object where a condition looks for a plain value.
    std::optional<bool> matches(pagination::ScannedText& text) const;

    /// A part of a dotted name: what is asked of the value there, and of its members.
    struct Step {
        std::string_view name;
        std::vector<const QueryNode*> leaves;
        std::vector<Step> members;
    };

private:
    std::vector<Step> members_;
};

}  // namespace stele::kernel::storage
