#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/json.hpp>
#include <stele/sdk/permission.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Facts about a record that conditions look at. Computed on demand, hence functions.
struct PolicySubject {
    std::uint64_t platform = 0;
    RecordKey key;
    std::string type;
    /// Type ids and ids of the containers, innermost first.
    struct Store {
        std::string type;
        std::string id;
        std::string title;
    };
    std::function<Result<std::string>()> reference;
    std::function<Result<Json>()> fields;
    std::function<Result<std::vector<Store>>()> stores;
};

/// A principal with everything that may carry a policy for it: itself, the groups that contain it
/// (transitively), its teams' groups, everyone.
struct PolicyHolder {
    RecordKey principal;
    std::vector<RecordKey> groups;
};

/// Policies join the evaluation of rights here. Published by access_policies.
class PolicySource {
public:
    virtual ~PolicySource();

    /// False when no policy is assigned to any of the holder's principals: the quick way out.
    virtual Result<bool> has_policies(const Reader& reader, std::uint64_t platform,
                                      const PolicyHolder& holder) = 0;

    /// What the policies give on the subject after their revokes: permissions, and the role keys
    /// that remain. `permissions_of` gives the permissions of a role key on the subject. Any
    /// thread.
    struct Given {
        PermissionSet permissions;
        std::vector<std::string> roles;
    };
    virtual Result<Given> evaluate(
        const Reader& reader, const PolicyHolder& holder, const PolicySubject& subject,
        const std::function<PermissionSet(std::string_view role_key)>& permissions_of) = 0;

    /// The role keys that the policies of the holder grant and revoke, whatever their conditions
    /// say: more than these they never give or take. Any thread.
    struct Reach {
        std::vector<std::string> granted;
        std::vector<std::string> revoked;
    };
    virtual Result<Reach> reach(const Reader& reader, std::uint64_t platform,
                                const PolicyHolder& holder) = 0;

    /// Name of the key space (`Context::key_space`) on which every answer of this source depends,
    /// beside the subject itself. A commit in it makes the cached decisions of its platform void.
    virtual std::string watched_space() const = 0;
};

}  // namespace stele::sdk
