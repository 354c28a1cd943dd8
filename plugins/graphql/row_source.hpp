#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>
#include <stele/sdk/page.hpp>
#include <stele/sdk/result.hpp>

#include "limits.hpp"

namespace stele::graphql {

/// The arguments of a collection field.
struct RowsWanted {
    /// QName of the nodes' type.
    std::string type;
    sdk::Json query = sdk::Json::object();
    /// Null: no search.
    sdk::Json search = nullptr;
    std::vector<sdk::SortKey> sort = {};
    std::uint64_t skip = 0;
    /// -1: all.
    std::int64_t limit = kDefaultLimit;
};

/// `invalid` naming the argument.
sdk::Result<RowsWanted> read_rows_wanted(std::string type, const sdk::Json& arguments);

/// Where nodes come from: only those that the caller may READ.
class RowSource {
public:
    virtual ~RowSource() = default;

    virtual sdk::Result<std::vector<sdk::Json>> rows(const RowsWanted& wanted) = 0;
    /// Null when there is none. An empty type takes nodes of every type.
    virtual sdk::Result<sdk::Json> row(std::string_view type, const std::string& id) = 0;
    /// The bound that cut an answer short; empty: none did.
    virtual std::string_view bound() const = 0;
};

}  // namespace stele::graphql
