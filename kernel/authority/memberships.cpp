#include <algorithm>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"
#include "kernel/authority/effective_roles.hpp"
#include "kernel/authority/relatives.hpp"

namespace stele::kernel::authority {

sdk::Result<void> AuthorityStore::add_member(sdk::Transaction& transaction,
                                             const sdk::RecordKey& group,
                                             const sdk::RecordKey& member,
                                             sdk::PrincipalKind member_kind) {
    const auto platform = platform_of(group);
    if (!platform) return platform.error();
    if (const auto home = platform_of(member); !home) return home.error();
    const std::string key = membership_key(*platform, kMemberTag, group, member);
    const auto stored = transaction.get(key);
    if (!stored) return stored.error();
    if (*stored) return {};
    const std::string value = encode_membership(next_joining(), member_kind);
    transaction.put(key, value);
    transaction.put(membership_key(*platform, kMembershipTag, member, group), value);
    // Joining gives rights only, unless policies of the group take away what others gave.
    const auto policed = is_policed(transaction, *platform, group);
    if (!policed) return policed.error();
    if (*policed) withdraw_decisions(transaction, *platform);
    return {};
}

/// Whether policies hold for the members of a group.
sdk::Result<bool> AuthorityStore::is_policed(const sdk::Reader& reader, std::uint64_t platform,
                                             const sdk::RecordKey& group) {
    if (!policies_) return false;
    auto groups = relatives(reader, platform, Towards::groups, {group}, true);
    if (!groups) return groups.error();
    sdk::PolicyHolder holder{group, {}};
    for (Relative& found : *groups)
        holder.groups.push_back(std::move(found.key));
    return policies_->has_policies(reader, platform, holder);
}

sdk::Result<void> AuthorityStore::remove_member(sdk::Transaction& transaction,
                                                const sdk::RecordKey& group,
                                                const sdk::RecordKey& member) {
    const auto platform = platform_of(group);
    if (!platform) return platform.error();
    const std::string key = membership_key(*platform, kMemberTag, group, member);
    const auto stored = transaction.get(key);
    if (!stored) return stored.error();
    if (!*stored) return {};
    transaction.remove(key);
    transaction.remove(membership_key(*platform, kMembershipTag, member, group));
    withdraw_decisions(transaction, *platform);
    return {};
}

sdk::Result<std::vector<sdk::RecordKey>> AuthorityStore::members(const sdk::Reader& reader,
                                                                 const sdk::RecordKey& group,
                                                                 sdk::MemberKind kind,
                                                                 bool is_indirect) {
    const auto platform = platform_of(group);
    if (!platform) return platform.error();
    auto found = relatives(reader, *platform, Towards::members, {group}, is_indirect);
    if (!found) return found.error();
    std::vector<sdk::RecordKey> keys;
    for (Relative& member : *found) {
        const bool is_user = member.kind == sdk::PrincipalKind::user;
        if (kind == sdk::MemberKind::any || is_user == (kind == sdk::MemberKind::user))
            keys.push_back(std::move(member.key));
    }
    return keys;
}

sdk::Result<std::vector<sdk::RecordKey>> AuthorityStore::memberships(
    const sdk::Reader& reader, const sdk::RecordKey& principal, bool is_indirect) {
    const auto platform = platform_of(principal);
    if (!platform) return platform.error();
    std::vector<sdk::RecordKey> starts{principal};
    if (is_indirect) {
        auto with_everyone = membership_starts(reader, tree_, *platform, principal);
        if (!with_everyone) return with_everyone.error();
        starts = *std::move(with_everyone);
    }
    auto found = relatives(reader, *platform, Towards::groups, starts, is_indirect);
    if (!found) return found.error();
    std::vector<sdk::RecordKey> keys;
    for (Relative& group : *found)
        keys.push_back(std::move(group.key));
    return keys;
}

sdk::Result<bool> AuthorityStore::is_member(const sdk::Reader& reader, const sdk::RecordKey& group,
                                            const sdk::RecordKey& principal, bool is_indirect) {
    const auto platform = platform_of(group);
    if (!platform) return platform.error();
    auto starts = membership_starts(reader, tree_, *platform, principal);
    if (!starts) return starts.error();
    if (group != principal && std::find(starts->begin(), starts->end(), group) != starts->end())
        return true;
    if (!is_indirect) {
        const auto stored = reader.get(membership_key(*platform, kMemberTag, group, principal));
        if (!stored) return stored.error();
        return group != principal && stored->has_value();
    }
    const auto groups = relatives(reader, *platform, Towards::groups, *starts, true);
    if (!groups) return groups.error();
    return std::any_of(groups->begin(), groups->end(),
                       [&group](const Relative& found) { return found.key == group; });
}

sdk::Result<void> AuthorityStore::set_everyone(sdk::Transaction& transaction,
                                               std::uint64_t platform,
                                               const sdk::RecordKey& group) {
    if (const auto home = platform_of(group); !home) return home.error();
    transaction.put(everyone_key(platform), group);
    withdraw_decisions(transaction, platform);
    return {};
}

sdk::Result<std::optional<sdk::RecordKey>> AuthorityStore::everyone(const sdk::Reader& reader,
                                                                    std::uint64_t platform) {
    return everyone_of(reader, platform);
}

}  // namespace stele::kernel::authority
