#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::pagination {
class ScannedText;
}

namespace stele::kernel::storage {

class FastMatch;
class Projection;

/// A parsed query document (docs/specification/semantics.md 1.1, docs/reference/query-language.md).
///
/// Operators: $eq $ne $gt $gte $lt $lte $in $nin $exists $type $regex (+$options) $mod $all $size
/// $elemMatch $and $or $nor $not; an unknown one, or one that runs code, fails with `invalid` and
/// code `query.operator_unknown`, naming it. Values compare within their type. Dotted names reach
/// into objects and, element by element, into arrays. `_fields` selects what comes back.
class Query {
public:
    struct Node;  // expression tree; see query_node.hpp

    /// Matches everything.
    Query();
    Query(Query&&) noexcept;
    Query& operator=(Query&&) noexcept;
    ~Query();

    static sdk::Result<Query> parse(const sdk::Json& document);

    /// Whether a record's text matches. `text` must have `Record::kPadding` readable bytes behind
    /// it. The parser is per thread; no allocation on the usual path. A text that is no JSON object
    /// matches nothing: the store reports broken records when it reads or checks them.
    bool matches(std::string_view text) const;
    /// The same for a text that others read too; leaves it where they begin anew.
    bool matches(pagination::ScannedText& text) const;

    bool matches_everything() const;
    const Node& root() const { return *root_; }

    /// `_fields` was given: what of a record comes back; `_doc` always does.
    bool has_projection() const;
    /// The selected part of a record's text, which needs the padding as well; the members keep
    /// their order. Without `_fields` the text itself.
    std::string project(std::string_view text) const;

private:
    std::unique_ptr<Node> root_;
    std::unique_ptr<const FastMatch> fast_match_;
    std::unique_ptr<const Projection> projection_;
};

}  // namespace stele::kernel::storage
