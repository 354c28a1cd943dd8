#pragma once

#include <string>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

#include "transfer/transfer_services.hpp"

namespace stele::archives {

/// Which access policies are assigned to whom, asked and changed by the operations of that family;
/// where no enabled plugin offers them, nothing is. All that it is given outlives it; one thread.
class PolicyAssignments {
public:
    PolicyAssignments(const TransferServices& services, sdk::Context& context)
        : services_(services), context_(context) {}

    /// Those to whom a policy is assigned by a reference that still means them. `hides_some` is set
    /// where whoever acts may not READ one of them, who is left out then.
    sdk::Result<std::vector<sdk::Principal>> targets_of(const sdk::RecordKey& policy,
                                                        bool& hides_some) const;
    /// Keys of the system policies that are assigned to what a reference means; an array.
    sdk::Result<sdk::Json> system_policies_of(const std::string& reference) const;

    /// Unless it is already; with the rights of whoever acts.
    sdk::Result<void> assign(const sdk::RecordKey& policy, const std::string& reference) const;
    sdk::Result<void> assign_system(const std::string& policy, const std::string& reference) const;

private:
    /// Policies that are assigned to what the reference means, as far as they may be read.
    sdk::Result<sdk::Json> assigned_to(const std::string& reference) const;
    sdk::Result<bool> is_assigned(const std::string& policy, const std::string& reference) const;

    const TransferServices& services_;
    sdk::Context& context_;
};

/// The reference of a team.
std::string team_reference(const std::string& record, const std::string& key);

}  // namespace stele::archives
