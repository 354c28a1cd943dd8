#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/permission.hpp>
#include <stele/sdk/services/policy_source.hpp>

#include "kernel/authority/record_tree.hpp"

namespace stele::kernel::authority {

class AuthorityStore;

/// Whether one principal, the giver, holds everything that a gift reaches
/// (docs/decisions/0045-gifts-are-measured-by-their-reach.md). What it holds is measured as the
/// evaluation of rights sees it; what reaches inside a record must be held by grants that reach
/// inside it too. Stops at the first thing that is not held. For one request: remembers what it
/// looked up, so nothing may be written meanwhile.
class GiftMeasure {
public:
    GiftMeasure(AuthorityStore& store, RecordTree& tree, sdk::PolicySource* policies,
                const sdk::Reader& reader, sdk::RecordKey giver)
        : store_(store),
          tree_(tree),
          policies_(policies),
          reader_(reader),
          giver_(std::move(giver)) {}

    /// See `sdk::Authorities` for these.
    sdk::Result<bool> covers_grant(const sdk::RecordKey& record, std::string_view role_key,
                                   bool is_deep);
    sdk::Result<bool> covers_inside(const sdk::RecordKey& record, sdk::PermissionSet permissions);
    sdk::Result<bool> covers_membership(const sdk::RecordKey& group);
    sdk::Result<bool> covers_departure(const sdk::RecordKey& group);
    sdk::Result<bool> covers_principal(const sdk::RecordKey& principal);
    sdk::Result<bool> covers_disinheritance(const sdk::RecordKey& record,
                                            const sdk::RecordKey& source);

    /// A definition of a custom role that holds the permissions, or the end of one: what grants of
    /// the key mean inside the container, and on what inherits from it, from then on, and what they
    /// meant before, which policies may have taken away.
    sdk::Result<bool> covers_role(const sdk::RecordKey& container, std::string_view role_key,
                                  sdk::PermissionSet permissions);

private:
    /// What is marked on a grant about its reach.
    struct GrantReach {
        bool is_deep = false;
        bool is_whole = false;
    };
    /// A principal or group with the groups that contain it, and where their rights lie.
    struct Holders {
        std::vector<sdk::RecordKey> keys;
        sdk::RecordKey root;
        std::uint64_t platform = 0;
    };
    sdk::Result<Holders> holders_above(const sdk::RecordKey& principal, bool has_everyone);
    /// What a gift on a record reaches: it alone; what was made inside it, too; and besides that
    /// what came into it from elsewhere.
    enum class Reach { record, made_inside, inside };
    sdk::Result<bool> covers_on(const sdk::RecordKey& record, sdk::PermissionSet permissions,
                                Reach reach);
    sdk::Result<bool> covers_here(const sdk::RecordKey& record, sdk::PermissionSet permissions,
                                  Reach reach);
    sdk::Result<bool> covers_inherited_beside(const sdk::RecordKey& record,
                                              sdk::PermissionSet permissions);
    sdk::Result<bool> covers_grants_of(std::uint64_t platform, const sdk::RecordKey& holder);
    sdk::Result<bool> covers_stored_grant(std::uint64_t platform, const sdk::RecordKey& holder,
                                          std::string_view place);
    sdk::Result<bool> covers_role_on(const sdk::RecordKey& record, std::string_view folded_key,
                                     const GrantReach& grant, const sdk::RecordKey* holder);
    sdk::Result<bool> covers_holders(const Holders& holders);
    sdk::Result<bool> covers_owned_by(std::uint64_t platform, const sdk::RecordKey& principal);
    sdk::Result<bool> covers_policies(const Holders& holders);
    sdk::Result<bool> covers_roles_of_policies(
        const Holders& holders, const sdk::PolicySource::Reach& reach,
        std::vector<std::string> sdk::PolicySource::Reach::*anywhere,
        std::vector<std::string> sdk::PolicySource::Reach::InProjects::*in_projects);
    sdk::Result<bool> covers_in_projects(const sdk::RecordKey& root,
                                         const sdk::RecordKey& assigned_to,
                                         const std::vector<std::string>& role_keys);
    /// What policies give on a record as soon as it lies no longer in the projects of `source`.
    sdk::Result<bool> covers_leaving_projects(const sdk::RecordKey& record,
                                              const sdk::RecordKey& source);
    sdk::Result<bool> lies_in_projects(const sdk::RecordKey& record);
    sdk::Result<void> leave_out_idle(sdk::PolicySource::Reach& reach);
    sdk::Result<sdk::PermissionSet> other_meanings(const sdk::RecordKey& record,
                                                   std::string_view folded_key,
                                                   const sdk::RecordKey& source);
    sdk::Result<sdk::PermissionSet> held_on(const sdk::RecordKey& record);
    sdk::Result<sdk::PermissionSet> held_inside(const sdk::RecordKey& container);
    sdk::Result<sdk::PermissionSet> held_where(const sdk::RecordKey& container, Reach reach);
    sdk::Result<const std::vector<sdk::RecordKey>*> own_holders(std::uint64_t platform);

    AuthorityStore& store_;
    RecordTree& tree_;
    sdk::PolicySource* policies_;
    const sdk::Reader& reader_;
    sdk::RecordKey giver_;
    std::map<sdk::RecordKey, sdk::PermissionSet> inside_;
    std::map<std::uint64_t, std::vector<sdk::RecordKey>> own_holders_;  // by platform, sorted
};

}  // namespace stele::kernel::authority
