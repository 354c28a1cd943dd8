#pragma once

#include <stele/sdk/authorities.hpp>

#include "kernel/authority/authority_store.hpp"
#include "kernel/job/budget.hpp"

namespace stele::kernel::resource {

/// The authority room inside one transaction, as plugins see it.
class BoundAuthorities final : public sdk::Authorities {
public:
    BoundAuthorities(authority::AuthorityStore& store, sdk::Transaction& transaction,
                     std::uint64_t platform)
        : store_(store), transaction_(transaction), platform_(platform) {}

    sdk::Result<sdk::PermissionSet> permissions(const sdk::RecordKey& principal,
                                                const sdk::RecordKey& record) override {
        if (auto left = job::Budget::check_current(); !left) return left.error();
        return store_.permissions(transaction_, principal, record);
    }
    sdk::Result<bool> has_role(const sdk::RecordKey& principal, const sdk::RecordKey& record,
                               std::string_view role_key) override {
        if (auto left = job::Budget::check_current(); !left) return left.error();
        return store_.has_role(transaction_, principal, record, role_key);
    }
    sdk::Result<void> grant(const sdk::RecordKey& record, const sdk::RecordKey& principal,
                            std::string_view role_key, bool is_deep = false) override {
        return store_.grant(transaction_, record, principal, role_key, is_deep);
    }
    sdk::Result<void> revoke(const sdk::RecordKey& record, const sdk::RecordKey& principal,
                             std::string_view role_key) override {
        return store_.revoke(transaction_, record, principal, role_key);
    }
    sdk::Result<std::vector<sdk::AclEntry>> acl(const sdk::RecordKey& record) override {
        return store_.acl(transaction_, record);
    }
    sdk::Result<std::vector<std::string>> direct_roles(const sdk::RecordKey& record,
                                                       const sdk::RecordKey& principal) override {
        return store_.direct_roles(transaction_, record, principal);
    }
    sdk::Result<std::vector<sdk::GrantOrigin>> report(const sdk::RecordKey& record,
                                                      const sdk::RecordKey& principal) override {
        if (auto left = job::Budget::check_current(); !left) return left.error();
        return store_.report(transaction_, record, principal);
    }
    sdk::Result<void> add_member(const sdk::RecordKey& group, const sdk::RecordKey& member,
                                 sdk::PrincipalKind member_kind) override {
        return store_.add_member(transaction_, group, member, member_kind);
    }
    sdk::Result<void> remove_member(const sdk::RecordKey& group,
                                    const sdk::RecordKey& member) override {
        return store_.remove_member(transaction_, group, member);
    }
    sdk::Result<std::vector<sdk::RecordKey>> members(const sdk::RecordKey& group,
                                                     sdk::MemberKind kind,
                                                     bool is_indirect) override {
        return store_.members(transaction_, group, kind, is_indirect);
    }
    sdk::Result<std::vector<sdk::RecordKey>> memberships(const sdk::RecordKey& principal,
                                                         bool is_indirect) override {
        return store_.memberships(transaction_, principal, is_indirect);
    }
    sdk::Result<bool> is_member(const sdk::RecordKey& group, const sdk::RecordKey& principal,
                                bool is_indirect) override {
        return store_.is_member(transaction_, group, principal, is_indirect);
    }
    sdk::Result<void> set_everyone(const sdk::RecordKey& group) override {
        return store_.set_everyone(transaction_, platform_, group);
    }
    sdk::Result<std::optional<sdk::RecordKey>> everyone() override {
        return store_.everyone(transaction_, platform_);
    }
    sdk::Result<void> define_role(const sdk::RecordKey& container,
                                  const sdk::CustomRole& role) override {
        return store_.define_role(transaction_, container, role);
    }
    sdk::Result<void> remove_role(const sdk::RecordKey& container,
                                  std::string_view role_key) override {
        return store_.remove_role(transaction_, container, role_key);
    }
    sdk::Result<std::vector<sdk::CustomRole>> roles(const sdk::RecordKey& container) override {
        return store_.roles(transaction_, container);
    }
    sdk::Result<void> inherit(const sdk::RecordKey& record, const sdk::RecordKey& source) override {
        return store_.inherit(transaction_, record, source);
    }
    sdk::Result<void> disinherit(const sdk::RecordKey& record,
                                 const sdk::RecordKey& source) override {
        return store_.disinherit(transaction_, record, source);
    }
    sdk::Result<bool> covers_grant(const sdk::RecordKey& giver, const sdk::RecordKey& record,
                                   std::string_view role_key, bool is_deep) override {
        return store_.measure(transaction_, giver).covers_grant(record, role_key, is_deep);
    }
    sdk::Result<bool> covers_inside(const sdk::RecordKey& giver, const sdk::RecordKey& record,
                                    sdk::PermissionSet permissions) override {
        return store_.measure(transaction_, giver).covers_inside(record, permissions);
    }
    sdk::Result<bool> covers_membership(const sdk::RecordKey& giver,
                                        const sdk::RecordKey& group) override {
        return store_.measure(transaction_, giver).covers_membership(group);
    }
    sdk::Result<bool> covers_departure(const sdk::RecordKey& giver,
                                       const sdk::RecordKey& group) override {
        return store_.measure(transaction_, giver).covers_departure(group);
    }
    sdk::Result<bool> covers_principal(const sdk::RecordKey& giver,
                                       const sdk::RecordKey& principal) override {
        return store_.measure(transaction_, giver).covers_principal(principal);
    }
    sdk::Result<bool> covers_disinheritance(const sdk::RecordKey& giver,
                                            const sdk::RecordKey& record,
                                            const sdk::RecordKey& source) override {
        return store_.measure(transaction_, giver).covers_disinheritance(record, source);
    }
    sdk::Result<void> note_owner(const sdk::RecordKey& principal,
                                 const sdk::RecordKey& container) override {
        return store_.note_owner(transaction_, principal, container);
    }
    sdk::Result<void> forget_principal(const sdk::RecordKey& principal) override {
        return store_.forget_principal(transaction_, principal);
    }
    sdk::Result<void> withdraw_decisions() override {
        authority::AuthorityStore::withdraw_decisions(transaction_, platform_);
        return {};
    }

private:
    authority::AuthorityStore& store_;
    sdk::Transaction& transaction_;
    std::uint64_t platform_;
};

}  // namespace stele::kernel::resource
