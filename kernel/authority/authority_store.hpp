#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/authorities.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/services/policy_source.hpp>

#include "kernel/authority/gift_measure.hpp"
#include "kernel/authority/record_tree.hpp"

namespace stele::kernel::authority {

/// Which records of one collection a principal may read.
struct VisibleRecords {
    bool is_everything = false;
    /// Exactly these record keys, sorted; empty optional: ask `permissions` record by record.
    std::optional<std::vector<sdk::RecordKey>> only;
};

/// Grants, memberships, roles and their evaluation over a reader or transaction. No state but what
/// lies in the store; the cache is `AuthorityCache`. Any thread.
///
/// Reach (docs/decisions/0003-reach-of-authorities.md): a grant counts on the record that it lies
/// on; `owner`, and roles granted with `is_deep` (teams), also count for everything inside it. A
/// principal holds what it was granted, what the groups that contain it were granted (transitively;
/// cycles are harmless), what `everyone` was granted, and what policies give. What reaches inside
/// reaches the heirs of the record as well.
class AuthorityStore {
public:
    explicit AuthorityStore(RecordTree& tree) : tree_(tree) {}

    /// Policies take part from now on. Before serving begins.
    void set_policy_source(sdk::PolicySource* source) { policies_ = source; }

    sdk::Result<sdk::PermissionSet> permissions(const sdk::Reader& reader,
                                                const sdk::RecordKey& principal,
                                                const sdk::RecordKey& record);
    /// The same without what policies give, here and where the record came from.
    sdk::Result<sdk::PermissionSet> granted_permissions(const sdk::Reader& reader,
                                                        const sdk::RecordKey& principal,
                                                        const sdk::RecordKey& record);
    /// What the principal may do with every record in the container, whatever else it may do with
    /// single ones.
    sdk::Result<sdk::PermissionSet> inside_permissions(const sdk::Reader& reader,
                                                       const sdk::RecordKey& principal,
                                                       const sdk::RecordKey& container);
    /// The same for those that were made there.
    sdk::Result<sdk::PermissionSet> made_inside_permissions(const sdk::Reader& reader,
                                                            const sdk::RecordKey& principal,
                                                            const sdk::RecordKey& container);
    /// The same for those that came from other containers, by the container or by one of those
    /// from which rights reach others beside it; nothing where none can have come.
    sdk::Result<std::optional<sdk::PermissionSet>> inherited_permissions(
        const sdk::Reader& reader, const sdk::RecordKey& principal,
        const sdk::RecordKey& container);
    /// Whether the principal may READ every record in the container, policies left out: one that
    /// it may read by a policy may be beside one that it may not.
    sdk::Result<bool> reads_inside(const sdk::Reader& reader, const sdk::RecordKey& principal,
                                   const sdk::RecordKey& container);
    sdk::Result<bool> has_role(const sdk::Reader& reader, const sdk::RecordKey& principal,
                               const sdk::RecordKey& record, std::string_view role_key);
    /// For lists: which records with these record-key prefix the principal may read. `container` is
    /// the record that contains them.
    sdk::Result<VisibleRecords> visible_records(const sdk::Reader& reader,
                                                const sdk::RecordKey& principal,
                                                const sdk::RecordKey& container,
                                                std::string_view record_key_prefix);

    /// Measures what `giver` is about to give. The reader must outlive the measure.
    GiftMeasure measure(const sdk::Reader& reader, const sdk::RecordKey& giver) {
        return {*this, tree_, policies_, reader, giver};
    }

    sdk::Result<void> grant(sdk::Transaction& transaction, const sdk::RecordKey& record,
                            const sdk::RecordKey& principal, std::string_view role_key,
                            bool is_deep = false);
    /// The grant, where there is one, also counts on what came into the record from others: whoever
    /// gives it has the role there (docs/reference/authorities.md).
    sdk::Result<void> make_whole(sdk::Transaction& transaction, const sdk::RecordKey& record,
                                 const sdk::RecordKey& principal, std::string_view role_key);
    sdk::Result<void> revoke(sdk::Transaction& transaction, const sdk::RecordKey& record,
                             const sdk::RecordKey& principal, std::string_view role_key);
    sdk::Result<std::vector<sdk::AclEntry>> acl(const sdk::Reader& reader,
                                                const sdk::RecordKey& record);
    sdk::Result<std::vector<std::string>> direct_roles(const sdk::Reader& reader,
                                                       const sdk::RecordKey& record,
                                                       const sdk::RecordKey& principal);
    sdk::Result<std::vector<sdk::GrantOrigin>> report(const sdk::Reader& reader,
                                                      const sdk::RecordKey& record,
                                                      const sdk::RecordKey& principal);

    sdk::Result<void> add_member(sdk::Transaction& transaction, const sdk::RecordKey& group,
                                 const sdk::RecordKey& member, sdk::PrincipalKind member_kind);
    sdk::Result<void> remove_member(sdk::Transaction& transaction, const sdk::RecordKey& group,
                                    const sdk::RecordKey& member);
    sdk::Result<std::vector<sdk::RecordKey>> members(const sdk::Reader& reader,
                                                     const sdk::RecordKey& group,
                                                     sdk::MemberKind kind, bool is_indirect);
    /// Without `everyone`, which nobody is a stored member of.
    sdk::Result<std::vector<sdk::RecordKey>> memberships(const sdk::Reader& reader,
                                                         const sdk::RecordKey& principal,
                                                         bool is_indirect);
    sdk::Result<bool> is_member(const sdk::Reader& reader, const sdk::RecordKey& group,
                                const sdk::RecordKey& principal, bool is_indirect);

    sdk::Result<void> set_everyone(sdk::Transaction& transaction, std::uint64_t platform,
                                   const sdk::RecordKey& group);
    sdk::Result<std::optional<sdk::RecordKey>> everyone(const sdk::Reader& reader,
                                                        std::uint64_t platform);

    sdk::Result<void> define_role(sdk::Transaction& transaction, const sdk::RecordKey& container,
                                  const sdk::CustomRole& role);
    sdk::Result<void> remove_role(sdk::Transaction& transaction, const sdk::RecordKey& container,
                                  std::string_view role_key);
    sdk::Result<std::vector<sdk::CustomRole>> roles(const sdk::Reader& reader,
                                                    const sdk::RecordKey& container);

    /// What reaches inside `source` also counts on `record`, which lies on the platform itself, and
    /// inside it; custom roles of `source` can be granted there.
    sdk::Result<void> inherit(sdk::Transaction& transaction, const sdk::RecordKey& record,
                              const sdk::RecordKey& source);
    sdk::Result<void> disinherit(sdk::Transaction& transaction, const sdk::RecordKey& record,
                                 const sdk::RecordKey& source);

    /// Notes the store around the container as one in which records give the principal rights.
    sdk::Result<void> note_owner(sdk::Transaction& transaction, const sdk::RecordKey& principal,
                                 const sdk::RecordKey& container);

    /// Grants on a removed record, custom roles defined on it, and what it inherits.
    sdk::Result<void> forget_record(sdk::Transaction& transaction, const sdk::RecordKey& record);
    /// Grants on records with the prefix, at most `most`; true when there are no more.
    sdk::Result<bool> forget_records(sdk::Transaction& transaction, std::uint64_t platform,
                                     std::string_view record_key_prefix, std::size_t most);
    /// Grants to, and memberships of, a removed principal.
    sdk::Result<void> forget_principal(sdk::Transaction& transaction,
                                       const sdk::RecordKey& principal);

    /// Counts that rights may be taken away on the platform by what the transaction writes. What
    /// takes any away here (a revoke, not a grant) does so itself.
    static void withdraw_decisions(sdk::Transaction& transaction, std::uint64_t platform);
    /// Ties what the transaction writes to the decisions that allowed it: it conflicts when rights
    /// are taken away on the platform between its snapshot and its commit.
    static sdk::Result<void> hold_decisions(sdk::Transaction& transaction, std::uint64_t platform);

private:
    sdk::Result<bool> is_policed(const sdk::Reader& reader, std::uint64_t platform,
                                 const sdk::RecordKey& group);

    RecordTree& tree_;
    sdk::PolicySource* policies_ = nullptr;
};

}  // namespace stele::kernel::authority
