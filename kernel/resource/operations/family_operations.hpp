#pragma once

#include <stele/sdk/services/family_operations.hpp>

namespace stele::kernel::resource {

/// Runs the routes of families inside the operation that asks, which commits.
class FamilyOperations final : public sdk::FamilyOperations {
public:
    sdk::Result<sdk::Reply> update(const sdk::Call& call, std::string_view parameter,
                                   std::string_view reference, sdk::Json fields) override;
    sdk::Result<sdk::Reply> query(const sdk::Call& call, std::string_view parameter,
                                  std::string_view type, std::string_view container,
                                  sdk::Json condition) override;
};

}  // namespace stele::kernel::resource
