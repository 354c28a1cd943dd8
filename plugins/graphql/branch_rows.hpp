#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/documents.hpp>
#include <stele/sdk/services/node_search.hpp>

#include "row_source.hpp"

namespace stele::graphql {

/// Nodes of a branch that whoever acts may READ.
class BranchRows final : public RowSource {
public:
    /// Without `search`, fields with a search fail.
    BranchRows(sdk::Context& context, sdk::RecordKey branch, sdk::NodeSearch* search);

    /// In the order of their creation, at most one more than a schema holds.
    sdk::Result<std::vector<sdk::Json>> type_definitions();

    sdk::Result<std::vector<sdk::Json>> rows(const RowsWanted& wanted) override;
    sdk::Result<sdk::Json> row(std::string_view type, const std::string& id) override;
    std::string_view bound() const override { return bound_; }

private:
    sdk::Result<std::vector<sdk::Json>> readable(const sdk::Json& query,
                                                 const std::vector<sdk::SortKey>& sort,
                                                 std::uint64_t skip, std::int64_t limit);
    sdk::Result<std::vector<sdk::Json>> found(const RowsWanted& wanted);

    /// Nodes that the request may still look at.
    std::uint64_t remaining() const;
    /// Counts what was looked at; how many more fit well into memory.
    std::uint64_t next_batch(const std::vector<sdk::Document>& last);

    sdk::Context& context_;
    sdk::CollectionName nodes_;
    sdk::NodeSearch* search_;
    /// Nodes looked at so far, for all fields of the request.
    std::uint64_t looked_at_ = 0;
    std::uint64_t bytes_ = 0;
    std::string_view bound_;
};

}  // namespace stele::graphql
