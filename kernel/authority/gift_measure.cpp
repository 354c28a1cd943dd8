#include "kernel/authority/gift_measure.hpp"

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"
#include "kernel/authority/effective_roles.hpp"
#include "kernel/authority/inheritance.hpp"
#include "kernel/authority/relatives.hpp"

namespace stele::kernel::authority {

namespace {

constexpr std::string_view kOwnerRole = "owner";

/// What is gone gives nothing to anybody.
sdk::Result<bool> unless_gone(sdk::Result<bool> covered) {
    return !covered && sdk::is_missing(covered.error()) ? sdk::Result<bool>(true)
                                                        : std::move(covered);
}

}  // namespace

/// By what reaches inside the container first: one look then serves all records in it.
sdk::Result<bool> GiftMeasure::covers_on(const sdk::RecordKey& record,
                                         sdk::PermissionSet permissions, Reach reach) {
    if (permissions.is_empty()) return true;
    const auto container = tree_.container_of(reader_, record);
    if (!container) return container.error();
    if (*container) {
        const auto inside = held_inside(**container);
        if (!inside) return inside.error();
        if (inside->contains(permissions)) return true;
    }
    return covers_here(record, permissions, reach);
}

sdk::Result<bool> GiftMeasure::covers_here(const sdk::RecordKey& record,
                                           sdk::PermissionSet permissions, Reach reach) {
    const auto held = held_on(record);
    if (!held) return held.error();
    if (!held->contains(permissions)) return false;
    if (reach == Reach::record) return true;
    const auto inside = held_where(record, reach);
    if (!inside) return inside.error();
    return inside->contains(permissions);
}

/// Where rights reach from one record of a collection to others, those only count that reach them
/// too: what policies give stays on the one record.
sdk::Result<sdk::PermissionSet> GiftMeasure::held_on(const sdk::RecordKey& record) {
    const auto is_passed_on = tree_.has_own_rights(reader_, record);
    if (!is_passed_on) return is_passed_on.error();
    if (!*is_passed_on) return store_.permissions(reader_, giver_, record);
    return store_.granted_permissions(reader_, giver_, record);
}

sdk::Result<sdk::PermissionSet> GiftMeasure::held_inside(const sdk::RecordKey& container) {
    if (const auto known = inside_.find(container); known != inside_.end()) return known->second;
    const auto held = store_.inside_permissions(reader_, giver_, container);
    if (held) inside_.emplace(container, *held);
    return held;
}

/// A fork's own content and what it inherits have owners of their own.
sdk::Result<sdk::PermissionSet> GiftMeasure::held_where(const sdk::RecordKey& container,
                                                        Reach reach) {
    if (reach == Reach::inside) return held_inside(container);
    return store_.made_inside_permissions(reader_, giver_, container);
}

/// A whole grant on a record from which rights reach others, as on a folder of a fork, gives rights
/// on those of them that came from elsewhere, whatever the giver has there.
sdk::Result<bool> GiftMeasure::covers_inherited_beside(const sdk::RecordKey& record,
                                                       sdk::PermissionSet permissions) {
    const auto is_passed_on = tree_.has_own_rights(reader_, record);
    if (!is_passed_on) return is_passed_on.error();
    if (!*is_passed_on) return true;
    const auto held = store_.inherited_permissions(reader_, giver_, record);
    if (!held) return held.error();
    return !*held || (*held)->contains(permissions);
}

sdk::Result<bool> GiftMeasure::covers_role_on(const sdk::RecordKey& record,
                                              std::string_view folded_key, const GrantReach& grant,
                                              const sdk::RecordKey* holder) {
    const auto chain = container_chain(reader_, tree_, record);
    if (!chain) return chain.error();
    const auto role = RoleLookup(reader_, *chain).find(0, folded_key);
    if (!role) return role.error();
    // It gives nothing before it is defined, and that is measured then.
    if (!*role) return true;
    bool reaches_inside = grant.is_deep || folded_key == kOwnerRole;
    if (!reaches_inside && (*role)->permissions.has(sdk::Permission::read)) {
        const auto is_reaching = tree_.has_reaching_grants(reader_, record);
        const auto platform = platform_of(record);
        if (!is_reaching || !platform) return is_reaching ? platform.error() : is_reaching.error();
        const auto everyone = everyone_of(reader_, *platform);
        if (!everyone) return everyone.error();
        reaches_inside = *is_reaching && !(holder && *everyone == *holder);
    }
    if (grant.is_whole) {
        auto covered = covers_inherited_beside(record, (*role)->permissions);
        if (!covered || !*covered) return covered;
    }
    const Reach inside = grant.is_whole ? Reach::inside : Reach::made_inside;
    return covers_on(record, (*role)->permissions, reaches_inside ? inside : Reach::record);
}

sdk::Result<bool> GiftMeasure::covers_grant(const sdk::RecordKey& record, std::string_view role_key,
                                            bool is_deep) {
    // What came from elsewhere it reaches only where the giver holds it there (`make_whole`).
    return covers_role_on(record, fold_role_key(role_key), {is_deep, false}, nullptr);
}

sdk::Result<bool> GiftMeasure::covers_inside(const sdk::RecordKey& record,
                                             sdk::PermissionSet permissions) {
    return covers_on(record, permissions, Reach::inside);
}

/// What the key means on a record by definitions elsewhere than on `source`.
sdk::Result<sdk::PermissionSet> GiftMeasure::other_meanings(const sdk::RecordKey& record,
                                                            std::string_view folded_key,
                                                            const sdk::RecordKey& source) {
    const auto chain = container_chain(reader_, tree_, record);
    if (!chain) return chain.error();
    sdk::PermissionSet meanings;
    for (std::size_t level = 0; level < chain->size(); ++level) {
        if ((*chain)[level] == source) continue;
        const auto role = defined_role(reader_, (*chain)[level], folded_key);
        if (!role) return role.error();
        if (*role) meanings |= (*role)->permissions;
    }
    return meanings;
}

sdk::Result<bool> GiftMeasure::covers_disinheritance(const sdk::RecordKey& record,
                                                     const sdk::RecordKey& source) {
    const auto ending = store_.roles(reader_, source);
    if (!ending) return ending.error();
    for (const sdk::CustomRole& role : *ending) {
        const auto others = other_meanings(record, fold_role_key(role.key), source);
        if (!others) return others.error();
        auto covered = covers_inside(record, *others | role.permissions);
        if (!covered || !*covered) return covered;
    }
    return covers_leaving_projects(record, source);
}

sdk::Result<bool> GiftMeasure::covers_role(const sdk::RecordKey& container,
                                           std::string_view role_key,
                                           sdk::PermissionSet permissions) {
    const std::string folded = fold_role_key(role_key);
    const auto chain = container_chain(reader_, tree_, container);
    if (!chain) return chain.error();
    const auto present = RoleLookup(reader_, *chain).find(0, folded);
    if (!present) return present.error();
    if (*present) permissions |= (*present)->permissions;
    auto covered = covers_inside(container, permissions);
    if (!covered || !*covered) return covered;
    const auto heirs = heirs_of(reader_, container);
    if (!heirs) return heirs.error();
    for (const sdk::RecordKey& heir : *heirs) {
        const auto others = other_meanings(heir, folded, container);
        if (!others) return others.error();
        covered = unless_gone(covers_inside(heir, *others));
        if (!covered || !*covered) return covered;
    }
    return true;
}

/// That members of a group may read its record is no gift: the server made it so.
sdk::Result<bool> GiftMeasure::covers_stored_grant(std::uint64_t platform,
                                                   const sdk::RecordKey& holder,
                                                   std::string_view place) {
    const auto cut = cut_record_key(place);
    const auto role_key = sdk::KeyReader(place).text();
    if (!cut || !role_key) return broken_entry("the key of a grant");
    const sdk::RecordKey record(*cut);
    const auto stored = reader_.get(grant_key(platform, kGrantTag, record, holder, *role_key));
    if (!stored) return stored.error();
    if (!*stored) return true;
    const auto grant = GrantEntry::decode(**stored);
    if (!grant) return grant.error();
    const sdk::BuiltInRole* const built_in = sdk::find_built_in_role(*role_key);
    if (record == holder && !grant->is_deep && built_in && built_in->key == "consumer") return true;
    return unless_gone(
        covers_role_on(record, *role_key, {grant->is_deep, grant->is_whole}, &holder));
}

sdk::Result<bool> GiftMeasure::covers_grants_of(std::uint64_t platform,
                                                const sdk::RecordKey& holder) {
    const std::string prefix = entries_prefix(platform, kGrantOfTag, holder);
    const auto cursor =
        reader_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        auto covered = covers_stored_grant(platform, holder, cursor->key().substr(prefix.size()));
        if (!covered || !*covered) return covered;
    }
    if (auto status = cursor->status(); !status) return status.error();
    return true;
}

}  // namespace stele::kernel::authority
