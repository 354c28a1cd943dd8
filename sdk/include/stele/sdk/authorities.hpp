#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/permission.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// A role that an operator defined on a record (the platform, a store) for everything inside it.
struct CustomRole {
    std::string key;
    PermissionSet permissions;
};

/// One effective grant and where it comes from, for the authorities report.
struct GrantOrigin {
    /// Stable id of the grant.
    std::string id;
    std::string role_key;
    /// Who holds it: the asked principal, or a group that contains it.
    RecordKey principal;
    /// The record that was asked about.
    RecordKey permissioned;
    /// The record that the grant lies on, when that is another one.
    std::optional<RecordKey> inherits_from;
};

/// A principal's direct roles on a record; role keys sorted.
struct AclEntry {
    RecordKey principal;
    std::vector<std::string> roles;
};

enum class MemberKind { any, user, group };

/// Principals' rights, memberships and roles, inside the transaction of a context: it sees what the
/// transaction has written. Rules: docs/reference/authorities.md. Not for several threads.
class Authorities {
public:
    virtual ~Authorities();

    /// Everything that `principal` may do with the record: direct grants, those of the groups that
    /// contain it (and `everyone`), what reaches inside from containers, and policies.
    virtual Result<PermissionSet> permissions(const RecordKey& principal,
                                              const RecordKey& record) = 0;
    /// Whether the union of the principal's authorities includes the role. Holding a built-in role
    /// implies the built-in roles whose permissions it includes; custom roles compare by key.
    virtual Result<bool> has_role(const RecordKey& principal, const RecordKey& record,
                                  std::string_view role_key) = 0;

    /// `is_deep`: the role also counts on everything inside the record, however deep. Repeating is
    /// harmless; a grant that was made deep once stays deep until it is revoked. `not_found`
    /// (`authority.role_unknown`) for an unknown role key.
    virtual Result<void> grant(const RecordKey& record, const RecordKey& principal,
                               std::string_view role_key, bool is_deep = false) = 0;
    /// Revoking what is not there is harmless; role key `all` removes every direct one.
    virtual Result<void> revoke(const RecordKey& record, const RecordKey& principal,
                                std::string_view role_key) = 0;

    /// Direct grants on the record, one entry per principal.
    virtual Result<std::vector<AclEntry>> acl(const RecordKey& record) = 0;
    virtual Result<std::vector<std::string>> direct_roles(const RecordKey& record,
                                                          const RecordKey& principal) = 0;
    /// Every effective role with its origin, policies' roles excepted.
    virtual Result<std::vector<GrantOrigin>> report(const RecordKey& record,
                                                    const RecordKey& principal) = 0;

    /// Members of other domains are allowed, cycles too. Repeating is harmless.
    virtual Result<void> add_member(const RecordKey& group, const RecordKey& member,
                                    PrincipalKind member_kind) = 0;
    virtual Result<void> remove_member(const RecordKey& group, const RecordKey& member) = 0;
    /// `is_indirect`: the transitive closure, intermediate groups included. In order of joining.
    virtual Result<std::vector<RecordKey>> members(const RecordKey& group, MemberKind kind,
                                                   bool is_indirect) = 0;
    virtual Result<std::vector<RecordKey>> memberships(const RecordKey& principal,
                                                       bool is_indirect) = 0;
    virtual Result<bool> is_member(const RecordKey& group, const RecordKey& principal,
                                   bool is_indirect) = 0;

    /// The group of which every principal of the platform is implicitly a member.
    virtual Result<void> set_everyone(const RecordKey& group) = 0;
    virtual Result<std::optional<RecordKey>> everyone() = 0;

    virtual Result<void> define_role(const RecordKey& container, const CustomRole& role) = 0;
    virtual Result<void> remove_role(const RecordKey& container, std::string_view role_key) = 0;
    virtual Result<std::vector<CustomRole>> roles(const RecordKey& container) = 0;

    /// What reaches inside `source`, of a family with the capability `teams`, also counts on
    /// `record`, which lies on the platform itself, and inside it; custom roles of `source` can be
    /// granted there. Repeating is harmless. Ends with either of the records.
    virtual Result<void> inherit(const RecordKey& record, const RecordKey& source) = 0;
    virtual Result<void> disinherit(const RecordKey& record, const RecordKey& source) = 0;

    // Nobody gives what they do not hold: whether `giver` holds everything that a gift reaches
    // (docs/decisions/0045-gifts-are-measured-by-their-reach.md). As long as the record or group
    // has what is asked about; `stele/sdk/gifts.hpp` asks for whoever acts. Walks over grants: for
    // large groups not on an I/O thread.

    /// Of a grant of the role on the record; true for unknown roles.
    virtual Result<bool> covers_grant(const RecordKey& giver, const RecordKey& record,
                                      std::string_view role_key, bool is_deep) = 0;
    /// Of permissions on the record and everything inside it, however deep.
    virtual Result<bool> covers_inside(const RecordKey& giver, const RecordKey& record,
                                       PermissionSet permissions) = 0;
    /// Of whatever a group gives to those who join it: by its own grants and policies, and by those
    /// of the groups that contain it.
    virtual Result<bool> covers_membership(const RecordKey& giver, const RecordKey& group) = 0;
    /// Of what comes back to those who leave a group: what its policies take away.
    virtual Result<bool> covers_departure(const RecordKey& giver, const RecordKey& group) = 0;
    /// Of everything that a principal has.
    virtual Result<bool> covers_principal(const RecordKey& giver, const RecordKey& principal) = 0;
    /// Of what the record's grants mean from then on when it stops to inherit from `source`, whose
    /// custom roles end for it.
    virtual Result<bool> covers_disinheritance(const RecordKey& giver, const RecordKey& record,
                                               const RecordKey& source) = 0;

    /// Notes that records inside the container give the principal rights by what they say
    /// (`Resource::roles_of`), so that `covers_principal` knows where.
    virtual Result<void> note_owner(const RecordKey& principal, const RecordKey& container) = 0;

    /// Forgets a removed principal: its grants and memberships.
    virtual Result<void> forget_principal(const RecordKey& principal) = 0;

    /// For what takes rights away without a call of this interface, as a changed policy does:
    /// writes that were allowed at an earlier state then conflict and are decided anew. The other
    /// functions do it themselves.
    virtual Result<void> withdraw_decisions() = 0;
};

}  // namespace stele::sdk
