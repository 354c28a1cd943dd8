#pragma once

#include <string_view>

#include <stele/sdk/context.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Policies that every platform has without storing them. Published by access_policies. Any thread.
class SystemPolicies {
public:
    virtual ~SystemPolicies();

    /// Assigns the policy of the key to a user or group. Rights are the caller's matter: who may
    /// come to the group is measured when it comes. `not_found` for an unknown key.
    virtual Result<void> assign(Context& context, std::string_view key,
                                const RecordKey& principal) = 0;
};

}  // namespace stele::sdk
