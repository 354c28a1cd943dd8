#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <stele/sdk/authorities.hpp>

#include "tests/authority/authority_fakes.hpp"

namespace stele::kernel::authority::testing {

/// The rules of docs/reference/authorities.md over plain containers: slow, and simple enough to be
/// believed.
class NaiveAuthorities {
public:
    explicit NaiveAuthorities(const std::map<sdk::RecordKey, sdk::RecordKey>& containers)
        : containers_(containers) {}

    struct Grant {
        sdk::RecordKey record;
        sdk::RecordKey principal;
        std::string role_key;
        bool is_deep = false;
    };
    struct Membership {
        sdk::RecordKey group;
        sdk::RecordKey member;
        sdk::PrincipalKind kind = sdk::PrincipalKind::user;
    };
    struct Role {
        sdk::RecordKey container;
        sdk::CustomRole role;
    };
    /// Role, holder, and the record that the grant lies on.
    using Origin = std::tuple<std::string, sdk::RecordKey, sdk::RecordKey>;

    std::vector<Grant> grants;
    /// In order of joining.
    std::vector<Membership> joined;
    std::vector<Role> roles;
    /// What inherits, and what it inherits from.
    std::set<std::pair<sdk::RecordKey, sdk::RecordKey>> inherited;
    std::map<std::uint64_t, sdk::RecordKey> everyone;
    std::vector<Statement> statements;
    std::map<sdk::RecordKey, std::string> documents;

    bool grant(const sdk::RecordKey& record, const sdk::RecordKey& principal,
               const std::string& role_key, bool is_deep);
    void revoke(const sdk::RecordKey& record, const sdk::RecordKey& principal,
                const std::string& role_key);
    void add_member(const sdk::RecordKey& group, const sdk::RecordKey& member,
                    sdk::PrincipalKind kind);
    void remove_member(const sdk::RecordKey& group, const sdk::RecordKey& member);
    void define_role(const sdk::RecordKey& container, const sdk::CustomRole& role);
    void remove_role(const sdk::RecordKey& container, const std::string& role_key);
    void forget_record(const sdk::RecordKey& record);
    void forget_principal(const sdk::RecordKey& principal);

    sdk::PermissionSet permissions(const sdk::RecordKey& principal,
                                   const sdk::RecordKey& record) const;
    bool has_role(const sdk::RecordKey& principal, const sdk::RecordKey& record,
                  const std::string& role_key) const;
    bool has_policies(const sdk::RecordKey& principal, std::uint64_t platform) const;
    std::set<Origin> report(const sdk::RecordKey& record, const sdk::RecordKey& principal) const;
    std::map<sdk::RecordKey, std::vector<std::string>> acl(const sdk::RecordKey& record) const;
    std::vector<sdk::RecordKey> members(const sdk::RecordKey& group, sdk::MemberKind kind,
                                        bool is_indirect) const;
    std::vector<sdk::RecordKey> memberships(const sdk::RecordKey& principal,
                                            bool is_indirect) const;
    bool is_member(const sdk::RecordKey& group, const sdk::RecordKey& principal,
                   bool is_indirect) const;

private:
    using Keys = std::set<sdk::RecordKey>;
    struct Counting {
        Grant grant;
        sdk::PermissionSet permissions;
    };

    Keys with_everyone(const sdk::RecordKey& principal, std::uint64_t platform) const;
    Keys groups_above(Keys from, std::uint64_t platform) const;
    std::vector<Counting> counting(const sdk::RecordKey& principal,
                                   const sdk::RecordKey& record) const;
    std::optional<sdk::CustomRole> role(const sdk::RecordKey& record,
                                        const std::string& role_key) const;
    std::vector<sdk::RecordKey> containers_of(const sdk::RecordKey& record) const;
    std::vector<sdk::RecordKey> places_above(const sdk::RecordKey& record) const;
    sdk::PermissionSet given(const sdk::RecordKey& principal, const sdk::RecordKey& record,
                             std::vector<std::string>& role_keys) const;

    const std::map<sdk::RecordKey, sdk::RecordKey>& containers_;
};

/// Compares role keys as people do.
bool is_same_role(const std::string& a, const std::string& b);

}  // namespace stele::kernel::authority::testing
