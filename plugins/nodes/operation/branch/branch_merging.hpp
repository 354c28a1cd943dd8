#pragma once

#include <stele/sdk/services/branch_merging.hpp>

#include "branch/services.hpp"

namespace stele::nodes {

/// The id of a changeset that was just committed to a branch, by its random part; empty where the
/// branch has got very many others since, or was reset.
sdk::Result<std::string> committed_changeset(Services& services, const sdk::RecordKey& branch,
                                             std::string_view random_part);

/// For other plugins.
class BranchMerging final : public sdk::BranchMerging {
public:
    explicit BranchMerging(Services& services) : services_(services) {}

    sdk::Result<sdk::BranchMergeOutcome> merge(sdk::Context& context,
                                               const sdk::BranchPair& branches,
                                               const sdk::BranchMergeOptions& options) override;
    sdk::Result<std::vector<sdk::Json>> changes(sdk::Context& context,
                                                const sdk::BranchPair& branches) override;
    sdk::Result<sdk::BranchMergeOutcome> rehearse(const sdk::PlatformScope& platform,
                                                  const sdk::Principal& principal,
                                                  const sdk::BranchPair& branches,
                                                  const sdk::BranchMergeOptions& options) override;
    sdk::Result<std::string> changeset_id(const sdk::RecordKey& branch,
                                          std::string_view changeset) override;
    sdk::Result<std::string> tip(sdk::Context& context, const sdk::RecordKey& branch) override;

private:
    Services& services_;
};

}  // namespace stele::nodes
