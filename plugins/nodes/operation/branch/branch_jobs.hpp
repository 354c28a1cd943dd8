#pragma once

#include "branch/branch_content.hpp"
#include "branch/services.hpp"

namespace stele::nodes {

inline constexpr char kBranchCreation[] = "create-branch";
inline constexpr char kBranchReset[] = "reset-branch";

/// Jobs of branches.
void define_branch_jobs(Services& services);

/// A reset writes nodes that nobody named and brings memberships of then back, with the rights that
/// they give: `forbidden` where whoever acts does not hold everything in the branch.
[[nodiscard]] sdk::Result<void> require_reset(const BranchContent& content);

/// Starts a job and answers it (docs/specification/nodes.md 1.5).
sdk::Result<sdk::Reply> job_reply(Services& services, const sdk::Call& call, const char* type,
                                  sdk::Json input);

/// The branch that the parameter `id` of a call names, in the repository of the branch that it
/// addresses, which whoever asks may READ.
sdk::Result<sdk::Document> source_branch(const sdk::Call& call);

/// The newest changeset that a branch shows; empty before the first.
sdk::Result<std::string> tip_of(Services& services, const sdk::Reader& reader,
                                const sdk::RecordKey& branch);

}  // namespace stele::nodes
