#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stele/sdk/services/policy_source.hpp>

#include "policy_statements.hpp"

namespace stele::access_policies {

/// The kernel's view of policies: reads the assignments and policy rows of a platform and runs
/// their statements. Compiled policies are kept by their text, so a changed policy is compiled
/// anew. Where a policy cannot be evaluated on a record, policies give nothing there.
class PolicyEvaluator final : public sdk::PolicySource {
public:
    sdk::Result<bool> has_policies(const sdk::Reader& reader, std::uint64_t platform,
                                   const sdk::PolicyHolder& holder) override;
    sdk::Result<Given> evaluate(
        const sdk::Reader& reader, const sdk::PolicyHolder& holder,
        const sdk::PolicySubject& subject,
        const std::function<sdk::PermissionSet(std::string_view)>& permissions_of) override;
    sdk::Result<Reach> reach(const sdk::Reader& reader, std::uint64_t platform,
                             const sdk::PolicyHolder& holder) override;
    sdk::Result<OutsideProjects> outside_projects(const sdk::Reader& reader,
                                                  std::uint64_t platform) override;
    std::string watched_space() const override;
    void meet(std::vector<sdk::PolicyFamily> families) override { families_ = std::move(families); }

    /// Empty before the server has told.
    const std::vector<sdk::PolicyFamily>& families() const { return families_; }

private:
    using Policy = std::shared_ptr<const CompiledPolicy>;
    /// Ids of policies, with those of the holder's principals that each is assigned to.
    using Assigned = std::map<std::string, std::vector<sdk::RecordKey>>;

    sdk::Result<Assigned> assigned(const sdk::Reader& reader, std::uint64_t platform,
                                   const sdk::PolicyHolder& holder, std::size_t limit) const;
    /// A policy, with those of the holder's principals that it is assigned to.
    using AssignedPolicy = std::pair<Policy, std::vector<sdk::RecordKey>>;
    sdk::Result<std::vector<AssignedPolicy>> policies_of(const sdk::Reader& reader,
                                                         std::uint64_t platform,
                                                         const sdk::PolicyHolder& holder);
    sdk::Result<Policy> compiled(const std::string& row);
    /// Those of the platform that are assigned to anybody.
    sdk::Result<std::vector<Policy>> all_assigned(const sdk::Reader& reader,
                                                  std::uint64_t platform);
    sdk::Result<std::vector<Policy>> counting(const sdk::Reader& reader,
                                              const sdk::PolicyHolder& holder,
                                              const SubjectFacts& facts);
    sdk::Result<Given> try_evaluate(
        const sdk::Reader& reader, const sdk::PolicyHolder& holder,
        const sdk::PolicySubject& subject,
        const std::function<sdk::PermissionSet(std::string_view)>& permissions_of);

    std::vector<sdk::PolicyFamily> families_;

    std::mutex mutex_;
    std::unordered_map<std::string, Policy> by_text_;
};

}  // namespace stele::access_policies
