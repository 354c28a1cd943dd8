#pragma once

#include <functional>
#include <optional>
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
    /// What the family says of its records (`ResourceDescriptor::policy_facts`); not null.
    const std::vector<std::string>* facts = &no_facts();
    /// A container; `aliases` are what it is called or addressed by beside its id.
    struct Store {
        std::string type;
        std::string id;
        std::string title;
        std::vector<std::string> aliases = {};
    };
    std::function<Result<std::string>()> reference;
    std::function<Result<Json>()> fields;
    /// The containers, innermost first.
    std::function<Result<std::vector<Store>>()> stores;
    /// The record itself, as if others lay in it.
    std::function<Result<Store>()> itself = {};
    /// With the fact `path`: all paths of the record (`Resource::paths_of`).
    std::function<Result<std::vector<std::string>>()> paths = {};
    /// What bounds policies of scope `project`, and a record (of another one, too) lies in.
    struct Project {
        RecordKey key;
        std::string id;
        std::string title;
    };
    std::function<Result<std::vector<Project>>(const RecordKey& record)> projects_of = {};
    /// The record that has the team which a group stands behind; nothing for other groups.
    std::function<Result<std::optional<RecordKey>>(const RecordKey& group)> team_record = {};
    /// A container from which the record came into its own, and what it is there; nearest first
    /// (`Resource::origins_of`).
    struct Origin {
        std::string reference;
        std::vector<Store> stores;
    };
    std::function<Result<std::vector<Origin>>()> origins = {};

    bool has_fact(std::string_view fact) const;
    static const std::vector<std::string>& no_facts();
};

/// A family, as far as it matters to whether conditions can be evaluated on its records.
struct PolicyFamily {
    /// The type id and the words of its references.
    std::vector<std::string> words;
    std::vector<std::string> facts;
    /// Its own type and those of its containers, the platform's left out.
    std::vector<std::string> stores;
    /// Its records are projects.
    bool is_project = false;
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
        /// The same for policies of scope `project`, which are not among the others: with the one
        /// of the holder's principals that each is assigned to. Where that is a team's group, they
        /// count inside the projects that the team's record lies in, otherwise inside all.
        struct InProjects {
            RecordKey assigned_to;
            std::vector<std::string> granted;
            std::vector<std::string> revoked;
        };
        std::vector<InProjects> in_projects = {};
    };
    virtual Result<Reach> reach(const Reader& reader, std::uint64_t platform,
                                const PolicyHolder& holder) = 0;

    /// What all policies that are assigned to anybody on the platform may change for what leaves a
    /// project: the role keys that they revoke in projects only, those that they grant outside of
    /// projects, too, and those that they grant nowhere else. Any thread.
    struct OutsideProjects {
        std::vector<std::string> revoked_inside;
        std::vector<std::string> granted;
        std::vector<std::string> granted_only_there;
    };
    virtual Result<OutsideProjects> outside_projects(const Reader& reader, std::uint64_t platform);

    /// Name of the key space (`Context::key_space`) on which every answer of this source depends,
    /// beside the subject itself. A commit in it makes the cached decisions of its platform void.
    virtual std::string watched_space() const = 0;

    /// Once, before serving: the families whose records will be evaluated.
    virtual void meet(std::vector<PolicyFamily> families);
};

}  // namespace stele::sdk
