#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>

#include "branch/branch_content.hpp"
#include "branch/parameters.hpp"

namespace stele::nodes {

/// Bounds of what one call walks; a reply that one of them cut says `truncated: true` and the name
/// of the bound in `bound`.
inline constexpr std::size_t kListedAssociations = 100'000;
/// Rows that are gathered in memory for a condition or a sort.
inline constexpr std::size_t kGatheredRows = 20'000;

/// A list whose length is known before its rows are read.
struct RowList {
    std::size_t size = 0;
    std::function<sdk::Result<sdk::Json>(std::size_t index)> row;
    /// What there is beside the rows that can be read.
    std::uint64_t unlisted = 0;
    /// Name of the bound that cut the list; empty when none did.
    std::string truncated_by = {};
};

/// The page of the list that the call asks for, of the rows that fit `query`. Without a condition
/// and a sort only the rows of the page are read.
sdk::Result<sdk::Reply> page_of_rows(Services& services, const RowList& list,
                                     const sdk::Json& query, const sdk::PageRequest& page);

/// Edges whose other ends whoever acts may READ.
struct VisibleEdges {
    std::vector<Edge> edges;
    std::string truncated_by;
};
sdk::Result<VisibleEdges> visible_edges(const BranchContent& content, const sdk::Document& node,
                                        Direction direction, std::string_view type);
/// The other ends, each once.
std::vector<std::string> relatives_of(const VisibleEdges& found);

/// Nodes as rows, in that order, with what the call wants to see of them.
RowList node_list(const BranchContent& content, const sdk::Call& call, std::vector<std::string> ids,
                  std::string truncated_by);

/// `text_parameter` where the body is a query, whose conditions are no parameters.
std::string text_parameter_beside_query(const sdk::Call& call, const char* name);
/// A direction by its name, any when it is empty; `invalid` naming the parameter.
sdk::Result<Direction> read_direction(std::string_view name, std::string_view parameter);
/// An object, `{}` for null and an empty array (docs/specification/nodes.md 1.1); `invalid` naming
/// the parameter otherwise.
sdk::Result<sdk::Json> read_object(const sdk::Json& value, std::string_view parameter);

}  // namespace stele::nodes
