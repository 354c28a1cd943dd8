#pragma once

#include <stele/sdk/services/row_query.hpp>

namespace stele::kernel::resource {

/// `sdk::RowQuery` with the store's own evaluation, so that both always agree.
class RowQuery final : public sdk::RowQuery {
public:
    explicit RowQuery(bool has_numeric_sort) : has_numeric_sort_(has_numeric_sort) {}

    sdk::Result<sdk::Reply> page(const std::vector<sdk::Json>& rows, const sdk::Json& query,
                                 const sdk::PageRequest& page) override;

private:
    bool has_numeric_sort_;
};

}  // namespace stele::kernel::resource
