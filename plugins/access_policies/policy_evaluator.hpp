#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <stele/sdk/services/policy_source.hpp>

#include "policy_statements.hpp"

namespace stele::access_policies {

/// The kernel's view of policies: reads the assignments and policy rows of a platform and runs
/// their statements. Compiled policies are kept by their text, so a changed policy is compiled
/// anew.
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
    std::string watched_space() const override;

private:
    using Policy = std::shared_ptr<const CompiledPolicy>;

    sdk::Result<std::vector<std::string>> assigned(const sdk::Reader& reader,
                                                   std::uint64_t platform,
                                                   const sdk::PolicyHolder& holder,
                                                   std::size_t limit) const;
    sdk::Result<std::vector<Policy>> policies_of(const sdk::Reader& reader, std::uint64_t platform,
                                                 const sdk::PolicyHolder& holder);
    sdk::Result<Policy> compiled(const std::string& row);

    std::mutex mutex_;
    std::unordered_map<std::string, Policy> by_text_;
};

}  // namespace stele::access_policies
