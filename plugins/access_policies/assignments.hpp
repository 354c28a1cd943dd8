#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/engine.hpp>

namespace stele::access_policies {

/// Name of the key space in which everything lies that decisions depend on.
inline constexpr char kSpace[] = "access_policies.assignment";

/// Which policies are assigned to which references, and the texts that the evaluation reads.
///
///   p policy reference  -> the reference as it was sent
///   r reference policy  -> key of the principal that the reference meant when it was assigned,
///                          empty when it meant none of the platform
///   k principal policy  -> empty: one of the policy's references means this principal
///   d policy            -> sequence and fields, see `store_policy`
///
/// References compare without regard to case and need not exist
/// (docs/specification/platform.md 5.2).
class Assignments {
public:
    explicit Assignments(sdk::Context& context)
        : context_(context), space_(context.key_space(kSpace)) {}

    sdk::Result<void> assign(std::string_view policy, std::string_view reference);
    sdk::Result<void> unassign(std::string_view policy, std::string_view reference);
    /// The reference, and every other one that meant the principal which it means now.
    sdk::Result<void> unassign_target(std::string_view policy, std::string_view reference);
    /// Ids of the policies of a reference, in the order of their ids.
    sdk::Result<std::vector<std::string>> policies_of(std::string_view reference);
    /// Ids of the policies of which some reference meant this principal when it was assigned.
    sdk::Result<std::vector<std::string>> policies_of_principal(const sdk::RecordKey& principal);
    /// The references of a policy as they were sent.
    sdk::Result<std::vector<std::string>> targets_of(std::string_view policy);
    sdk::Result<void> remove_policy(std::string_view policy);
    /// Keeps what the evaluation needs of a policy.
    void store_policy(const sdk::Document& policy);

private:
    sdk::Result<sdk::RecordKey> principal_of(std::string_view reference);
    sdk::Result<std::vector<std::string>> last_elements(const std::string& prefix);
    sdk::Result<bool> names_principal(std::string_view policy, const sdk::RecordKey& principal);
    std::string reference_row(std::string_view reference, std::string_view policy) const;
    std::string principal_row(const sdk::RecordKey& principal, std::string_view policy) const;

    sdk::Context& context_;
    std::string space_;
};

/// `invalid` for what does not look like a reference.
sdk::Result<void> check_reference(std::string_view reference);

std::string principal_prefix(const std::string& space, const sdk::RecordKey& principal);
std::string policy_row(const std::string& space, std::string_view policy);
/// Whether a policy is assigned to anything.
sdk::Result<bool> has_targets(const sdk::Reader& reader, const std::string& space,
                              std::string_view policy);

}  // namespace stele::access_policies
