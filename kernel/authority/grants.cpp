#include <algorithm>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"
#include "kernel/authority/grant_entry.hpp"
#include "kernel/authority/inheritance.hpp"
#include "kernel/authority/role_lookup.hpp"

namespace stele::kernel::authority {

namespace {

constexpr std::string_view kAllRoles = "all";

/// Where a grant lies, with the folded role key.
struct GrantKeys {
    sdk::RecordKey record;
    sdk::RecordKey principal;
    std::string role_key;
};

void remove_grant(sdk::Transaction& transaction, std::uint64_t platform, const GrantKeys& grant) {
    transaction.remove(
        grant_key(platform, kGrantTag, grant.record, grant.principal, grant.role_key));
    transaction.remove(
        grant_key(platform, kGrantOfTag, grant.principal, grant.record, grant.role_key));
}

sdk::Error unknown_role(std::string_view role_key) {
    return sdk::make_error(sdk::ErrorKind::not_found, "authority.role_unknown",
                           "There is no role '" + std::string(role_key) + "' here.");
}

/// Roles by principal of the grants on a record.
sdk::Result<std::vector<sdk::AclEntry>> grants_on(const sdk::Reader& reader, std::uint64_t platform,
                                                  const sdk::RecordKey& record) {
    std::vector<sdk::AclEntry> entries;
    const auto visited =
        each_entry(reader, entries_prefix(platform, kGrantTag, record),
                   [&entries](std::string_view key, std::string_view value) -> sdk::Result<void> {
                       const auto principal = cut_record_key(key);
                       if (!principal) return broken_entry("the key of a grant");
                       auto grant = GrantEntry::decode(value);
                       if (!grant) return grant.error();
                       if (entries.empty() || entries.back().principal != *principal)
                           entries.push_back({sdk::RecordKey(*principal), {}});
                       entries.back().roles.push_back(std::move(grant->role_key));
                       return {};
                   });
    if (!visited) return visited.error();
    for (sdk::AclEntry& entry : entries)
        std::sort(entry.roles.begin(), entry.roles.end());
    return entries;
}

/// The grants under a tag that have `first` in front: those of a record or of a principal.
sdk::Result<std::vector<GrantKeys>> grants_under(const sdk::Reader& reader, std::uint64_t platform,
                                                 char tag, const sdk::RecordKey& first) {
    std::vector<GrantKeys> grants;
    const auto visited =
        each_entry(reader, entries_prefix(platform, tag, first),
                   [&](std::string_view key, std::string_view) -> sdk::Result<void> {
                       const auto second = cut_record_key(key);
                       auto role_key = sdk::KeyReader(key).text();
                       if (!second || !role_key) return broken_entry("the key of a grant");
                       sdk::RecordKey other(*second);
                       if (tag == kGrantTag) {
                           grants.push_back({first, std::move(other), *std::move(role_key)});
                       } else {
                           grants.push_back({std::move(other), first, *std::move(role_key)});
                       }
                       return {};
                   });
    if (!visited) return visited.error();
    return grants;
}

sdk::Result<void> remove_grants_under(sdk::Transaction& transaction, std::uint64_t platform,
                                      char tag, const sdk::RecordKey& first) {
    const auto grants = grants_under(transaction, platform, tag, first);
    if (!grants) return grants.error();
    for (const GrantKeys& grant : *grants)
        remove_grant(transaction, platform, grant);
    return {};
}

/// The keys under a prefix, so that they can be removed: one by one, as observers learn of single
/// keys.
sdk::Result<std::vector<std::string>> keys_under(const sdk::Reader& reader,
                                                 const std::string& prefix) {
    std::vector<std::string> rests;
    const auto visited =
        each_entry(reader, prefix, [&rests](std::string_view key, std::string_view) {
            rests.emplace_back(key);
            return sdk::Result<void>();
        });
    if (!visited) return visited.error();
    return rests;
}

}  // namespace

sdk::Result<void> AuthorityStore::grant(sdk::Transaction& transaction, const sdk::RecordKey& record,
                                        const sdk::RecordKey& principal, std::string_view role_key,
                                        bool is_deep) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    if (const auto home = platform_of(principal); !home) return home.error();
    const std::string folded = fold_role_key(role_key);
    ContainerChain chain(record);
    if (!sdk::find_built_in_role(folded)) {
        auto containers = container_chain(transaction, tree_, record);
        if (!containers) return containers.error();
        chain = *std::move(containers);
    }
    auto role = RoleLookup(transaction, chain).find(0, folded);
    if (!role) return role.error();
    if (!*role) return unknown_role(role_key);

    const std::string key = grant_key(*platform, kGrantTag, record, principal, folded);
    const auto stored = transaction.get(key);
    if (!stored) return stored.error();
    GrantEntry entry = GrantEntry::make(std::move((*role)->key), is_deep);
    if (*stored) {
        auto before = GrantEntry::decode(**stored);
        if (!before) return before.error();
        if (before->is_deep || !is_deep) return {};
        entry.id = std::move(before->id);
        entry.is_whole = before->is_whole;
    }
    transaction.put(key, entry.encode());
    transaction.put(grant_key(*platform, kGrantOfTag, principal, record, folded), {});
    return {};
}

sdk::Result<void> AuthorityStore::make_whole(sdk::Transaction& transaction,
                                             const sdk::RecordKey& record,
                                             const sdk::RecordKey& principal,
                                             std::string_view role_key) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    const std::string key =
        grant_key(*platform, kGrantTag, record, principal, fold_role_key(role_key));
    const auto stored = transaction.get(key);
    if (!stored || !*stored) return stored ? sdk::Result<void>() : stored.error();
    auto entry = GrantEntry::decode(**stored);
    if (!entry) return entry.error();
    entry->is_whole = true;
    transaction.put(key, entry->encode());
    return {};
}

sdk::Result<void> AuthorityStore::revoke(sdk::Transaction& transaction,
                                         const sdk::RecordKey& record,
                                         const sdk::RecordKey& principal,
                                         std::string_view role_key) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    if (const auto home = platform_of(principal); !home) return home.error();
    const std::string folded = fold_role_key(role_key);
    if (folded != kAllRoles) {
        const auto stored =
            transaction.get(grant_key(*platform, kGrantTag, record, principal, folded));
        if (!stored) return stored.error();
        if (!*stored) return {};
        remove_grant(transaction, *platform, {record, principal, folded});
        withdraw_decisions(transaction, *platform);
        return {};
    }
    const auto rests =
        keys_under(transaction, grant_key_prefix(*platform, kGrantTag, record, principal));
    if (!rests) return rests.error();
    for (const std::string& rest : *rests) {
        const auto held = sdk::KeyReader(rest).text();
        if (!held) return broken_entry("the key of a grant");
        remove_grant(transaction, *platform, {record, principal, *held});
    }
    if (!rests->empty()) withdraw_decisions(transaction, *platform);
    return {};
}

sdk::Result<std::vector<sdk::AclEntry>> AuthorityStore::acl(const sdk::Reader& reader,
                                                            const sdk::RecordKey& record) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    return grants_on(reader, *platform, record);
}

sdk::Result<std::vector<std::string>> AuthorityStore::direct_roles(
    const sdk::Reader& reader, const sdk::RecordKey& record, const sdk::RecordKey& principal) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    std::vector<std::string> roles;
    const auto visited =
        each_entry(reader, grant_key_prefix(*platform, kGrantTag, record, principal),
                   [&roles](std::string_view, std::string_view value) -> sdk::Result<void> {
                       auto grant = GrantEntry::decode(value);
                       if (!grant) return grant.error();
                       roles.push_back(std::move(grant->role_key));
                       return {};
                   });
    if (!visited) return visited.error();
    std::sort(roles.begin(), roles.end());
    return roles;
}

// Decisions on the record, or inside it, need not be withdrawn: they have read the record.
sdk::Result<void> AuthorityStore::forget_record(sdk::Transaction& transaction,
                                                const sdk::RecordKey& record) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    std::vector<sdk::KeyRange> looked_at;
    for (const char tag : {kGrantTag, kRoleTag, kSourceTag, kHeirTag}) {
        const std::string entries = entries_prefix(*platform, tag, record);
        looked_at.push_back({entries, sdk::prefix_end(entries)});
    }
    transaction.expect(looked_at);
    if (auto done = remove_grants_under(transaction, *platform, kGrantTag, record); !done)
        return done;
    const std::string prefix = entries_prefix(*platform, kRoleTag, record);
    const auto rests = keys_under(transaction, prefix);
    if (!rests) return rests.error();
    for (const std::string& rest : *rests)
        transaction.remove(prefix + rest);
    const auto inherited = forget_inheritance(transaction, record);
    if (!inherited) return inherited.error();
    if (*inherited) withdraw_decisions(transaction, *platform);
    return {};
}

sdk::Result<bool> AuthorityStore::forget_records(sdk::Transaction& transaction,
                                                 std::uint64_t platform,
                                                 std::string_view record_key_prefix,
                                                 std::size_t most) {
    const std::string tagged = entries_prefix(platform, kGrantTag, {});
    const std::string prefix = tagged + std::string(record_key_prefix);
    std::vector<GrantKeys> grants;
    const auto cursor =
        transaction.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid() && grants.size() < most; cursor->next()) {
        std::string_view rest = cursor->key().substr(tagged.size());
        const auto record = cut_record_key(rest);
        const auto principal = cut_record_key(rest);
        auto role_key = sdk::KeyReader(rest).text();
        if (!record || !principal || !role_key) return broken_entry("the key of a grant");
        grants.push_back(
            {sdk::RecordKey(*record), sdk::RecordKey(*principal), *std::move(role_key)});
    }
    if (auto status = cursor->status(); !status) return status.error();
    for (const GrantKeys& grant : grants)
        remove_grant(transaction, platform, grant);
    return grants.size() < most;
}

sdk::Result<void> AuthorityStore::forget_principal(sdk::Transaction& transaction,
                                                   const sdk::RecordKey& principal) {
    const auto platform = platform_of(principal);
    if (!platform) return platform.error();
    withdraw_decisions(transaction, *platform);
    if (auto done = remove_grants_under(transaction, *platform, kGrantOfTag, principal); !done)
        return done;
    for (const char tag : {kMemberTag, kMembershipTag}) {
        const char mirror = tag == kMemberTag ? kMembershipTag : kMemberTag;
        const std::string prefix = entries_prefix(*platform, tag, principal);
        const auto others = keys_under(transaction, prefix);
        if (!others) return others.error();
        for (const std::string& other : *others) {
            transaction.remove(prefix + other);
            transaction.remove(membership_key(*platform, mirror, other, principal));
        }
    }
    const std::string owned = entries_prefix(*platform, kOwnsInsideTag, principal);
    const auto stores = keys_under(transaction, owned);
    if (!stores) return stores.error();
    for (const std::string& store : *stores)
        transaction.remove(owned + store);
    const auto everyone = transaction.get(everyone_key(*platform));
    if (!everyone) return everyone.error();
    if (*everyone == principal) transaction.remove(everyone_key(*platform));
    return {};
}

void AuthorityStore::withdraw_decisions(sdk::Transaction& transaction, std::uint64_t platform) {
    transaction.add(withdrawals_key(platform), 1);
}

sdk::Result<void> AuthorityStore::hold_decisions(sdk::Transaction& transaction,
                                                 std::uint64_t platform) {
    const auto read = transaction.get(withdrawals_key(platform));
    if (!read) return read.error();
    return {};
}

}  // namespace stele::kernel::authority
