#include "tests/authority/naive_authorities.hpp"

#include <algorithm>

#include <strings.h>

namespace stele::kernel::authority::testing {

bool is_same_role(const std::string& a, const std::string& b) {
    return strcasecmp(a.c_str(), b.c_str()) == 0;
}

bool NaiveAuthorities::grant(const sdk::RecordKey& record, const sdk::RecordKey& principal,
                             const std::string& role_key, bool is_deep) {
    const auto known = role(record, role_key);
    if (!known) return false;
    for (Grant& grant : grants) {
        if (grant.record == record && grant.principal == principal &&
            is_same_role(grant.role_key, role_key)) {
            if (is_deep && !grant.is_deep) {
                grant.is_deep = true;
                grant.role_key = known->key;
            }
            return true;
        }
    }
    grants.push_back({record, principal, known->key, is_deep});
    return true;
}

void NaiveAuthorities::revoke(const sdk::RecordKey& record, const sdk::RecordKey& principal,
                              const std::string& role_key) {
    std::erase_if(grants, [&](const Grant& grant) {
        return grant.record == record && grant.principal == principal &&
               (is_same_role(role_key, "all") || is_same_role(grant.role_key, role_key));
    });
}

void NaiveAuthorities::add_member(const sdk::RecordKey& group, const sdk::RecordKey& member,
                                  sdk::PrincipalKind kind) {
    const bool is_known = std::any_of(joined.begin(), joined.end(), [&](const Membership& known) {
        return known.group == group && known.member == member;
    });
    if (!is_known) joined.push_back({group, member, kind});
}

void NaiveAuthorities::remove_member(const sdk::RecordKey& group, const sdk::RecordKey& member) {
    std::erase_if(joined, [&](const Membership& known) {
        return known.group == group && known.member == member;
    });
}

void NaiveAuthorities::define_role(const sdk::RecordKey& container, const sdk::CustomRole& role) {
    remove_role(container, role.key);
    roles.push_back({container, role});
}

void NaiveAuthorities::remove_role(const sdk::RecordKey& container, const std::string& role_key) {
    std::erase_if(roles, [&](const Role& known) {
        return known.container == container && is_same_role(known.role.key, role_key);
    });
}

void NaiveAuthorities::forget_record(const sdk::RecordKey& record) {
    std::erase_if(grants, [&](const Grant& grant) { return grant.record == record; });
    std::erase_if(roles, [&](const Role& known) { return known.container == record; });
    std::erase_if(inherited,
                  [&](const auto& pair) { return pair.first == record || pair.second == record; });
}

void NaiveAuthorities::forget_principal(const sdk::RecordKey& principal) {
    const std::uint64_t platform = platform_number(principal);
    std::erase_if(grants, [&](const Grant& grant) {
        return grant.principal == principal && platform_number(grant.record) == platform;
    });
    std::erase_if(joined, [&](const Membership& known) {
        return platform_number(known.group) == platform &&
               (known.group == principal || known.member == principal);
    });
    // As everything of a principal, on its own platform only.
    std::erase_if(everyone, [&](const auto& entry) {
        return entry.first == platform && entry.second == principal;
    });
}

sdk::PermissionSet NaiveAuthorities::permissions(const sdk::RecordKey& principal,
                                                 const sdk::RecordKey& record) const {
    using enum sdk::Permission;
    sdk::PermissionSet held;
    if (principal == record) held |= sdk::PermissionSet{connect, read, update};
    for (const Counting& entry : counting(principal, record))
        held |= entry.permissions;
    std::vector<std::string> ignored;
    return held | given(principal, record, ignored);
}

bool NaiveAuthorities::has_role(const sdk::RecordKey& principal, const sdk::RecordKey& record,
                                const std::string& role_key) const {
    std::vector<sdk::CustomRole> held;
    for (const Counting& entry : counting(principal, record))
        held.push_back({entry.grant.role_key, entry.permissions});
    std::vector<std::string> from_policies;
    given(principal, record, from_policies);
    for (const std::string& key : from_policies) {
        if (const auto known = role(record, key)) held.push_back(*known);
    }
    const sdk::BuiltInRole* built_in = sdk::find_built_in_role(role_key);
    return std::any_of(held.begin(), held.end(), [&](const sdk::CustomRole& entry) {
        return is_same_role(entry.key, role_key) ||
               (built_in && entry.permissions.contains(built_in->permissions));
    });
}

bool NaiveAuthorities::has_policies(const sdk::RecordKey& principal, std::uint64_t platform) const {
    const Keys holders = groups_above(with_everyone(principal, platform), platform);
    return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
        return statement.platform == platform && holders.contains(statement.assigned_to);
    });
}

std::set<NaiveAuthorities::Origin> NaiveAuthorities::report(const sdk::RecordKey& record,
                                                            const sdk::RecordKey& principal) const {
    std::set<Origin> origins;
    for (const Counting& entry : counting(principal, record))
        origins.insert({entry.grant.role_key, entry.grant.principal, entry.grant.record});
    return origins;
}

std::map<sdk::RecordKey, std::vector<std::string>> NaiveAuthorities::acl(
    const sdk::RecordKey& record) const {
    std::map<sdk::RecordKey, std::vector<std::string>> rows;
    for (const Grant& grant : grants) {
        if (grant.record == record) rows[grant.principal].push_back(grant.role_key);
    }
    for (auto& [principal, keys] : rows)
        std::sort(keys.begin(), keys.end());
    return rows;
}

std::vector<sdk::RecordKey> NaiveAuthorities::members(const sdk::RecordKey& group,
                                                      sdk::MemberKind kind,
                                                      bool is_indirect) const {
    // Groups first until nothing is new, then everything that joined one of them, oldest first.
    Keys groups{group};
    for (std::size_t before = 0; is_indirect && before != groups.size();) {
        before = groups.size();
        for (const Membership& known : joined) {
            if (groups.contains(known.group) && known.kind == sdk::PrincipalKind::group &&
                platform_number(known.group) == platform_number(group))
                groups.insert(known.member);
        }
    }
    std::vector<sdk::RecordKey> found;
    for (const Membership& known : joined) {
        const bool is_wanted =
            kind == sdk::MemberKind::any ||
            (kind == sdk::MemberKind::user) == (known.kind == sdk::PrincipalKind::user);
        if (is_wanted && groups.contains(known.group) && known.member != group &&
            platform_number(known.group) == platform_number(group) &&
            std::find(found.begin(), found.end(), known.member) == found.end())
            found.push_back(known.member);
    }
    return found;
}

std::vector<sdk::RecordKey> NaiveAuthorities::memberships(const sdk::RecordKey& principal,
                                                          bool is_indirect) const {
    const std::uint64_t platform = platform_number(principal);
    const Keys starts = is_indirect ? with_everyone(principal, platform) : Keys{principal};
    const Keys below = is_indirect ? groups_above(starts, platform) : starts;
    std::vector<sdk::RecordKey> found;
    for (const Membership& known : joined) {
        if (below.contains(known.member) && !starts.contains(known.group) &&
            platform_number(known.group) == platform &&
            std::find(found.begin(), found.end(), known.group) == found.end())
            found.push_back(known.group);
    }
    return found;
}

bool NaiveAuthorities::is_member(const sdk::RecordKey& group, const sdk::RecordKey& principal,
                                 bool is_indirect) const {
    if (group == principal) return false;
    const std::uint64_t platform = platform_number(group);
    const Keys starts = with_everyone(principal, platform);
    if (starts.contains(group)) return true;
    if (is_indirect) return groups_above(starts, platform).contains(group);
    return std::any_of(joined.begin(), joined.end(), [&](const Membership& known) {
        return known.group == group && known.member == principal;
    });
}

NaiveAuthorities::Keys NaiveAuthorities::with_everyone(const sdk::RecordKey& principal,
                                                       std::uint64_t platform) const {
    Keys keys{principal};
    const auto all = everyone.find(platform);
    if (all != everyone.end() && platform_number(principal) == platform) keys.insert(all->second);
    return keys;
}

NaiveAuthorities::Keys NaiveAuthorities::groups_above(Keys keys, std::uint64_t platform) const {
    for (std::size_t before = 0; before != keys.size();) {
        before = keys.size();
        for (const Membership& known : joined) {
            if (keys.contains(known.member) && platform_number(known.group) == platform)
                keys.insert(known.group);
        }
    }
    return keys;
}

std::vector<NaiveAuthorities::Counting> NaiveAuthorities::counting(
    const sdk::RecordKey& principal, const sdk::RecordKey& record) const {
    const std::uint64_t platform = platform_number(record);
    const Keys holders = groups_above(with_everyone(principal, platform), platform);
    const std::vector<sdk::RecordKey> above = places_above(record);
    std::vector<Counting> found;
    for (const Grant& grant : grants) {
        if (!holders.contains(grant.principal)) continue;
        const bool is_above = std::find(above.begin(), above.end(), grant.record) != above.end();
        const bool reaches = grant.is_deep || grant.role_key == "owner";
        if (grant.record != record && !(is_above && reaches)) continue;
        if (const auto meaning = role(grant.record, grant.role_key))
            found.push_back({grant, meaning->permissions});
    }
    return found;
}

std::optional<sdk::CustomRole> NaiveAuthorities::role(const sdk::RecordKey& record,
                                                      const std::string& role_key) const {
    for (const sdk::BuiltInRole& built_in : sdk::built_in_roles()) {
        if (is_same_role(std::string(built_in.key), role_key))
            return sdk::CustomRole{std::string(built_in.key), built_in.permissions};
    }
    std::vector<sdk::RecordKey> places = places_above(record);
    places.insert(places.begin(), record);
    for (const sdk::RecordKey& place : places) {
        for (const Role& known : roles) {
            if (known.container == place && is_same_role(known.role.key, role_key))
                return known.role;
        }
    }
    return std::nullopt;
}

std::vector<sdk::RecordKey> NaiveAuthorities::containers_of(const sdk::RecordKey& record) const {
    std::vector<sdk::RecordKey> found;
    for (auto at = containers_.find(record); at != containers_.end();
         at = containers_.find(at->second))
        found.push_back(at->second);
    return found;
}

/// The containers, and between a platform's root and what lies on the platform what that inherits
/// from.
std::vector<sdk::RecordKey> NaiveAuthorities::places_above(const sdk::RecordKey& record) const {
    std::vector<sdk::RecordKey> places;
    sdk::RecordKey below = record;
    for (const sdk::RecordKey& container : containers_of(record)) {
        for (const auto& [heir, source] : inherited) {
            if (heir == below) places.push_back(source);
        }
        places.push_back(container);
        below = container;
    }
    return places;
}

sdk::PermissionSet NaiveAuthorities::given(const sdk::RecordKey& principal,
                                           const sdk::RecordKey& record,
                                           std::vector<std::string>& role_keys) const {
    const std::uint64_t platform = platform_number(record);
    const Keys holders = groups_above(with_everyone(principal, platform), platform);
    const auto text_of = [this](const sdk::RecordKey& key) {
        const auto found = documents.find(key);
        return found == documents.end() ? std::string() : found->second;
    };
    sdk::PermissionSet permissions;
    for (const Statement& statement : statements) {  // kept in order
        if (statement.platform != platform || !holders.contains(statement.assigned_to)) continue;
        if (!statement.mark.empty() && statement.mark != text_of(record)) continue;
        const auto above = containers_of(record);
        const bool is_in_store = std::any_of(above.begin(), above.end(), [&](const auto& key) {
            return text_of(key) == statement.store_title;
        });
        if (!statement.store_title.empty() && !is_in_store) continue;
        const auto meaning = role(record, statement.role_key);
        const auto named = meaning ? meaning->permissions : sdk::PermissionSet();
        if (statement.is_revoke) {
            permissions -= named;
            std::erase(role_keys, statement.role_key);
        } else {
            permissions |= named;
            role_keys.push_back(statement.role_key);
        }
    }
    return permissions;
}

}  // namespace stele::kernel::authority::testing
