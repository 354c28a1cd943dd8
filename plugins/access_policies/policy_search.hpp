#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/call.hpp>
#include <stele/sdk/services/principal_directory.hpp>

namespace stele::access_policies {

/// Finds policies for a caller, who sees only those that it may read.
class PolicySearch {
public:
    explicit PolicySearch(const sdk::Call& call) : call_(call) {}

    /// Ids of the policies assigned to a reference, or by any other reference to the principal that
    /// it means now; each once, in order. `is_inherited` adds those of the groups that
    /// contain the principal of the reference.
    sdk::Result<std::vector<std::string>> assigned_to(std::string_view reference,
                                                      bool is_inherited);
    /// Ids of the policies that `collect` answers for a reference: of a principal, where no user is
    /// named, those assigned to it; of another record, which the caller must be able to read, those
    /// of the user, or of the caller. The groups that contain them are included.
    sdk::Result<std::vector<std::string>> collected(sdk::PrincipalDirectory& principals,
                                                    std::string_view reference,
                                                    const std::optional<sdk::RecordKey>& user);
    /// Adds to the rows of `collected` the one that the server makes of a node's root, where the
    /// caller may read the node.
    sdk::Result<void> add_built_in(sdk::PrincipalDirectory& principals, std::string_view reference,
                                   const std::optional<sdk::RecordKey>& user, sdk::Json& rows);
    /// What a policy says, also a system policy.
    sdk::Result<sdk::Json> fields_of(const std::string& id);
    /// The records of these policies, an array; `scope` narrows when it is not empty.
    sdk::Result<sdk::Json> readable(const std::vector<std::string>& ids, std::string_view scope);

private:
    sdk::Result<std::vector<std::string>> assigned_to_principal(const sdk::RecordKey& principal);
    sdk::Result<void> add_inherited(const sdk::RecordKey& principal, std::set<std::string>& ids);

    const sdk::Call& call_;
};

}  // namespace stele::access_policies
