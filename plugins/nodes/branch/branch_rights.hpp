#pragma once

#include <stele/sdk/permission.hpp>
#include <stele/sdk/result.hpp>

#include "branch/branch_content.hpp"

namespace stele::nodes {

/// What an operation does to content that nobody named, somebody may do who holds it on everything
/// in the branch (docs/decisions/0092-what-writes-to-a-whole-branch.md): what the branch's record
/// alone gives, or a policy, does not reach there. `forbidden` (`authority.permission_missing`).
/// Of whoever acts, also through a job: at the start, and when the job runs.
[[nodiscard]] sdk::Result<void> require_in_branch(const BranchContent& content,
                                                  sdk::PermissionSet permissions);

}  // namespace stele::nodes
