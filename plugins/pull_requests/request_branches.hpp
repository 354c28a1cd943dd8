#pragma once

#include <optional>
#include <string>

#include <stele/sdk/context.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/services/branch_merging.hpp>

namespace stele::pull_requests {

/// The two branches of a request, which whoever acts may READ.
struct RequestBranches {
    sdk::Document source;
    sdk::Document target;

    sdk::BranchPair pair() const { return {source.key, target.key}; }
    /// Whether the target merges what comes without being asked.
    bool is_automatic() const;
};

/// A branch by id or alias; nothing where it is not there for whoever acts.
sdk::Result<std::optional<sdk::Document>> readable_branch(sdk::Context& context,
                                                          const std::string& repository,
                                                          const std::string& id);
/// Nothing where one of them is not there for whoever acts, or not named.
sdk::Result<std::optional<RequestBranches>> readable_branches(sdk::Context& context,
                                                              const std::string& repository,
                                                              const sdk::Json& request);
/// The same as `conflict` (`pull_requests.branches_missing`).
sdk::Result<RequestBranches> require_branches(sdk::Context& context, const std::string& repository,
                                              const sdk::Json& request);

/// Where the target does not merge by itself, somebody who may UPDATE its record has to:
/// `forbidden`
/// (`pull_requests.approval_missing`) for others.
[[nodiscard]] sdk::Result<void> require_approval(sdk::Context& context,
                                                 const sdk::Document& target);

/// The changesets at the ends of both branches, as members of a request. Empty for a branch that
/// the transaction has written to.
sdk::Result<sdk::Json> tips_of(sdk::BranchMerging& merging, sdk::Context& context,
                               const sdk::BranchPair& branches);
/// Whether a branch is gone, or has moved since the request was looked at. Whoever asks.
sdk::Result<bool> is_stale(sdk::BranchMerging& merging, sdk::Context& context,
                           const std::string& repository, const sdk::Json& request);

}  // namespace stele::pull_requests
