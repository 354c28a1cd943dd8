#include <algorithm>
#include <map>
#include <optional>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"
#include "kernel/authority/effective_roles.hpp"
#include "kernel/authority/inheritance.hpp"

namespace stele::kernel::authority {

namespace {

constexpr sdk::PermissionSet kOwnRecord{sdk::Permission::connect, sdk::Permission::read,
                                        sdk::Permission::update};

sdk::PolicyHolder policy_holder(const sdk::RecordKey& principal,
                                const std::vector<sdk::RecordKey>& holders) {
    sdk::PolicyHolder holder{principal, {}};
    std::copy_if(holders.begin(), holders.end(), std::back_inserter(holder.groups),
                 [&principal](const sdk::RecordKey& key) { return key != principal; });
    return holder;
}

/// What the policies give to the principal of `roles` on the record that they were opened for.
sdk::Result<sdk::PolicySource::Given> given_by_policies(sdk::PolicySource* policies,
                                                        const sdk::Reader& reader, RecordTree& tree,
                                                        const sdk::RecordKey& principal,
                                                        const EffectiveRoles& roles) {
    if (!policies) return sdk::PolicySource::Given{};
    const auto holders = roles.holders();
    if (!holders) return holders.error();
    const sdk::PolicyHolder holder = policy_holder(principal, **holders);
    const auto has_any = policies->has_policies(reader, roles.platform(), holder);
    if (!has_any) return has_any.error();
    if (!*has_any) return sdk::PolicySource::Given{};
    const auto subject = tree.subject(reader, roles.chain().front());
    if (!subject) return subject.error();

    RoleLookup lookup(reader, roles.chain());
    std::optional<sdk::Error> failure;
    const auto permissions_of = [&](std::string_view role_key) {
        const auto role = lookup.find(0, fold_role_key(role_key));
        if (!role && !failure) failure = role.error();
        return role && *role ? (*role)->permissions : sdk::PermissionSet();
    };
    auto given = policies->evaluate(reader, holder, *subject, permissions_of);
    if (failure) return *std::move(failure);
    return given;
}

/// A role that a principal may be asked for.
class WantedRole {
public:
    explicit WantedRole(std::string_view role_key)
        : folded_key_(fold_role_key(role_key)), built_in_(sdk::find_built_in_role(folded_key_)) {}

    bool is_met_by(std::string_view role_key, sdk::PermissionSet permissions) const {
        return (built_in_ && permissions.contains(built_in_->permissions)) ||
               fold_role_key(role_key) == folded_key_;
    }

private:
    std::string folded_key_;
    const sdk::BuiltInRole* built_in_;
};

/// What a role means on a record in the container: built-in roles mean the same everywhere, others
/// may be defined on the record itself, or on what it inherits from if it lies on the platform.
sdk::Result<std::optional<sdk::CustomRole>> role_on(const sdk::Reader& reader,
                                                    const sdk::RecordKey& record,
                                                    std::string_view role_key, bool is_on_platform,
                                                    RoleLookup& container_roles) {
    if (sdk::find_built_in_role(role_key)) return container_roles.find(0, role_key);
    auto own = defined_role(reader, record, role_key);
    if (!own || *own) return own;
    if (!is_on_platform) return container_roles.find(0, role_key);
    const auto sources = sources_of(reader, record);
    if (!sources) return sources.error();
    for (const sdk::RecordKey& source : *sources) {
        auto inherited = defined_role(reader, source, role_key);
        if (!inherited || *inherited) return inherited;
    }
    return container_roles.find(0, role_key);
}

/// Adds the records with the prefix that the holder was granted to read.
sdk::Result<void> add_readable(const sdk::Reader& reader, const EffectiveRoles& roles,
                               const sdk::RecordKey& holder, std::string_view record_key_prefix,
                               RoleLookup& container_roles, std::vector<sdk::RecordKey>& readable) {
    const std::string of_holder = entries_prefix(roles.platform(), kGrantOfTag, holder);
    std::string prefix = of_holder;
    prefix.append(record_key_prefix);
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        std::string_view rest = cursor->key().substr(of_holder.size());
        const auto record = cut_record_key(rest);
        const auto role_key = sdk::KeyReader(rest).text();
        if (!record || !role_key) return broken_entry("the key of a grant");
        auto role = role_on(reader, sdk::RecordKey(*record), *role_key, roles.chain().size() == 1,
                            container_roles);
        if (!role) return role.error();
        if (*role && (*role)->permissions.has(sdk::Permission::read))
            readable.emplace_back(*record);
    }
    return cursor->status();
}

sdk::PermissionSet in_both_places(sdk::PermissionSet one, sdk::PermissionSet other) {
    return sdk::PermissionSet::from_bits(one.bits() & other.bits());
}

/// Whether a role with READ reaches in from the record.
sdk::Result<bool> role_reads_inside(const EffectiveRoles& roles) {
    bool is_reading = false;
    const auto visited =
        roles.search(EffectiveRoles::Reach::inside, [&is_reading](const HeldRole& role) {
            is_reading = role.permissions.has(sdk::Permission::read);
            return !is_reading;
        });
    if (!visited) return visited.error();
    return is_reading;
}

/// Adds the records with the prefix that the principal may read by what they inherit.
sdk::Result<void> add_inherited(const sdk::Reader& reader, RecordTree& tree,
                                const sdk::RecordKey& principal, std::uint64_t platform,
                                std::string_view record_key_prefix,
                                std::vector<sdk::RecordKey>& readable) {
    std::map<sdk::RecordKey, bool> known;
    return each_heir(
        reader, platform, record_key_prefix,
        [&](const sdk::RecordKey& record, const sdk::RecordKey& source) -> sdk::Result<void> {
            auto found = known.find(source);
            if (found == known.end()) {
                const auto roles = EffectiveRoles::open(reader, tree, principal, source);
                if (!roles) return roles.error();
                const auto reads = role_reads_inside(*roles);
                if (!reads) return reads.error();
                found = known.emplace(source, *reads).first;
            }
            if (found->second) readable.push_back(record);
            return {};
        });
}

}  // namespace

sdk::Result<sdk::PermissionSet> AuthorityStore::permissions(const sdk::Reader& reader,
                                                            const sdk::RecordKey& principal,
                                                            const sdk::RecordKey& record) {
    const auto roles = EffectiveRoles::open(reader, tree_, principal, record);
    if (!roles) return roles.error();
    if (roles->is_without_rights()) return sdk::PermissionSet();
    const auto open = tree_.open_permissions(reader, record);
    if (!open) return open.error();
    sdk::PermissionSet held = *open | (principal == record ? kOwnRecord : sdk::PermissionSet());
    const auto visited =
        roles->search(EffectiveRoles::Reach::record, [&held](const HeldRole& role) {
            held |= role.permissions;
            return held != sdk::PermissionSet::all();
        });
    if (!visited) return visited.error();
    if (held == sdk::PermissionSet::all()) return held;
    const auto bounded = roles->bounded();
    if (!bounded) return bounded.error();
    if (!held.contains(*bounded) && !roles->chain().origin()->empty()) {
        const auto there = permissions(reader, principal, *roles->chain().origin());
        if (!there) return there.error();
        held |= in_both_places(*bounded, *there);
    }
    const auto given = given_by_policies(policies_, reader, tree_, principal, *roles);
    if (!given) return given.error();
    return held | given->permissions;
}

sdk::Result<sdk::PermissionSet> AuthorityStore::granted_permissions(const sdk::Reader& reader,
                                                                    const sdk::RecordKey& principal,
                                                                    const sdk::RecordKey& record) {
    const auto roles = EffectiveRoles::open(reader, tree_, principal, record);
    if (!roles) return roles.error();
    sdk::PermissionSet held;
    const auto visited =
        roles->search(EffectiveRoles::Reach::record, [&held](const HeldRole& role) {
            held |= role.permissions;
            return held != sdk::PermissionSet::all();
        });
    if (!visited) return visited.error();
    const auto bounded = roles->bounded();
    if (!bounded) return bounded.error();
    if (held.contains(*bounded) || roles->chain().origin()->empty()) return held;
    const auto there = granted_permissions(reader, principal, *roles->chain().origin());
    if (!there) return there.error();
    return held | in_both_places(*bounded, *there);
}

sdk::Result<sdk::PermissionSet> AuthorityStore::inside_permissions(
    const sdk::Reader& reader, const sdk::RecordKey& principal, const sdk::RecordKey& container) {
    const auto roles = EffectiveRoles::open_contents(reader, tree_, principal, container);
    if (!roles) return roles.error();
    return roles->everywhere_inside(EffectiveRoles::Contents::all);
}

sdk::Result<sdk::PermissionSet> AuthorityStore::made_inside_permissions(
    const sdk::Reader& reader, const sdk::RecordKey& principal, const sdk::RecordKey& container) {
    const auto roles = EffectiveRoles::open_contents(reader, tree_, principal, container);
    if (!roles) return roles.error();
    return roles->everywhere_inside(EffectiveRoles::Contents::made_there);
}

sdk::Result<std::optional<sdk::PermissionSet>> AuthorityStore::inherited_permissions(
    const sdk::Reader& reader, const sdk::RecordKey& principal, const sdk::RecordKey& container) {
    const auto roles = EffectiveRoles::open_contents(reader, tree_, principal, container);
    if (!roles) return roles.error();
    if (roles->chain().origins() > 0) {
        const auto held = roles->everywhere_inside(EffectiveRoles::Contents::inherited);
        if (!held) return held.error();
        return std::optional<sdk::PermissionSet>(*held);
    }
    // Of a record whose rights reach others beside it: what they may be.
    const auto is_passed_on = tree_.has_own_rights(reader, container);
    if (!is_passed_on) return is_passed_on.error();
    if (!*is_passed_on || roles->chain().size() < 2) return std::optional<sdk::PermissionSet>();
    return inherited_permissions(reader, principal, roles->chain()[1]);
}

sdk::Result<bool> AuthorityStore::reads_inside(const sdk::Reader& reader,
                                               const sdk::RecordKey& principal,
                                               const sdk::RecordKey& container) {
    const auto open = tree_.open_permissions(reader, container);
    if (!open) return open.error();
    const auto roles = EffectiveRoles::open_contents(reader, tree_, principal, container);
    if (!roles) return roles.error();
    if (roles->is_without_rights()) return false;
    if (open->has(sdk::Permission::read)) return true;
    const auto inside = roles->everywhere_inside(EffectiveRoles::Contents::all);
    if (!inside) return inside.error();
    return inside->has(sdk::Permission::read);
}

sdk::Result<bool> AuthorityStore::has_role(const sdk::Reader& reader,
                                           const sdk::RecordKey& principal,
                                           const sdk::RecordKey& record,
                                           std::string_view role_key) {
    const auto roles = EffectiveRoles::open(reader, tree_, principal, record);
    if (!roles) return roles.error();
    if (roles->is_without_rights()) return false;
    const WantedRole wanted(role_key);
    bool is_held = false;
    const auto visited = roles->search(EffectiveRoles::Reach::record, [&](const HeldRole& role) {
        is_held = wanted.is_met_by(role.grant.role_key, role.permissions);
        return !is_held;
    });
    if (!visited) return visited.error();
    if (is_held) return true;
    const auto bounded = roles->bounded();
    if (!bounded) return bounded.error();
    if (wanted.is_met_by({}, *bounded) && !roles->chain().origin()->empty()) {
        auto there = has_role(reader, principal, *roles->chain().origin(), role_key);
        if (!there || *there) return there;
    }
    const auto given = given_by_policies(policies_, reader, tree_, principal, *roles);
    if (!given) return given.error();
    RoleLookup lookup(reader, roles->chain());
    for (const std::string& given_key : given->roles) {
        const auto role = lookup.find(0, fold_role_key(given_key));
        if (!role) return role.error();
        if (*role && wanted.is_met_by((*role)->key, (*role)->permissions)) return true;
    }
    return false;
}

sdk::Result<std::vector<sdk::GrantOrigin>> AuthorityStore::report(const sdk::Reader& reader,
                                                                  const sdk::RecordKey& record,
                                                                  const sdk::RecordKey& principal) {
    const auto roles = EffectiveRoles::open(reader, tree_, principal, record);
    if (!roles) return roles.error();
    std::vector<sdk::GrantOrigin> origins;
    const auto visited = roles->each(EffectiveRoles::Reach::record, [&](const HeldRole& role) {
        sdk::GrantOrigin& origin = origins.emplace_back();
        origin.id = role.grant.id;
        origin.role_key = role.grant.role_key;
        origin.principal = role.holder;
        origin.permissioned = record;
        if (role.level > 0) origin.inherits_from = roles->chain()[role.level];
        return true;
    });
    if (!visited) return visited.error();
    const auto bounded = roles->bounded();
    if (!bounded) return bounded.error();
    if (bounded->is_empty() || roles->chain().origin()->empty()) return origins;
    // Of these the container's own roles give as much as they hold.
    const auto there = report(reader, *roles->chain().origin(), principal);
    if (!there) return there.error();
    for (sdk::GrantOrigin origin : *there) {
        const bool is_known = std::any_of(origins.begin(), origins.end(),
                                          [&](const auto& known) { return known.id == origin.id; });
        if (is_known) continue;
        if (!origin.inherits_from) origin.inherits_from = origin.permissioned;
        origin.permissioned = record;
        origins.push_back(std::move(origin));
    }
    return origins;
}

sdk::Result<VisibleRecords> AuthorityStore::visible_records(const sdk::Reader& reader,
                                                            const sdk::RecordKey& principal,
                                                            const sdk::RecordKey& container,
                                                            std::string_view record_key_prefix) {
    const auto roles = EffectiveRoles::open_contents(reader, tree_, principal, container);
    if (!roles) return roles.error();
    VisibleRecords visible;
    if (roles->is_without_rights()) {
        visible.only.emplace();
        return visible;
    }
    const auto open = tree_.open_permissions(reader, container);
    if (!open) return open.error();
    visible.is_everything = open->has(sdk::Permission::read);
    if (visible.is_everything) return visible;
    const auto inside = roles->everywhere_inside(EffectiveRoles::Contents::all);
    if (!inside) return inside.error();
    visible.is_everything = inside->has(sdk::Permission::read);
    // Policies take away only what policies gave.
    if (visible.is_everything) return visible;
    // What the records say decides, too. Any key of the collection stands for it.
    const auto has_own_rights = tree_.has_own_rights(
        reader, sdk::RecordKey(record_key_prefix) + std::string(kSequenceSize, '\0'));
    if (!has_own_rights) return has_own_rights.error();
    if (*has_own_rights) return visible;
    const auto holders = roles->holders();
    if (!holders) return holders.error();
    if (policies_) {
        const auto has_any =
            policies_->has_policies(reader, roles->platform(), policy_holder(principal, **holders));
        if (!has_any) return has_any.error();
        if (*has_any) return visible;
    }
    std::vector<sdk::RecordKey>& only = visible.only.emplace();
    if (principal.starts_with(record_key_prefix)) only.push_back(principal);
    RoleLookup container_roles(reader, roles->chain());
    for (const sdk::RecordKey& holder : **holders) {
        const auto added =
            add_readable(reader, *roles, holder, record_key_prefix, container_roles, only);
        if (!added) return added.error();
    }
    // What lies deeper is reached through the container.
    if (roles->chain().size() == 1) {
        const auto added =
            add_inherited(reader, tree_, principal, roles->platform(), record_key_prefix, only);
        if (!added) return added.error();
    }
    std::sort(only.begin(), only.end());
    only.erase(std::unique(only.begin(), only.end()), only.end());
    return visible;
}

}  // namespace stele::kernel::authority
