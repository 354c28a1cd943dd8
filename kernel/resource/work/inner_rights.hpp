#pragma once

#include <stele/sdk/services/inner_rights.hpp>

namespace stele::kernel::resource {

/// Reads in the name of the principal.
class InnerRights final : public sdk::InnerRights {
public:
    sdk::Result<sdk::PermissionSet> inner_permissions(sdk::Context& context,
                                                      const sdk::Principal& principal,
                                                      std::string_view reference) override;
};

}  // namespace stele::kernel::resource
