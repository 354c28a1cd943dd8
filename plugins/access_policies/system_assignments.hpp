#pragma once

#include <stele/sdk/services/system_policies.hpp>

namespace stele::access_policies {

/// Assigns system policies for other plugins, which answer for the rights.
class SystemAssignments final : public sdk::SystemPolicies {
public:
    sdk::Result<void> assign(sdk::Context& context, std::string_view key,
                             const sdk::RecordKey& principal) override;
};

}  // namespace stele::access_policies
