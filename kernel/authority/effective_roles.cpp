#include "kernel/authority/effective_roles.hpp"

#include <algorithm>

#include <stele/sdk/record_space.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/relatives.hpp"
#include "kernel/authority/removed_collections.hpp"

namespace stele::kernel::authority {

namespace {

constexpr std::string_view kOwner = "owner";
// A step to the neighbour is cheaper than a seek, so a few grants are walked through; a record that
// is granted to thousands is sought through.
constexpr int kStepsBeforeSeek = 8;

struct GrantPlace {
    std::string_view principal;
    std::string role_key;
};

sdk::PermissionSet in_both(sdk::PermissionSet one, sdk::PermissionSet other) {
    return sdk::PermissionSet::from_bits(one.bits() & other.bits());
}

std::optional<GrantPlace> split_grant(std::string_view rest_of_key) {
    const auto principal = cut_record_key(rest_of_key);
    auto role_key = sdk::KeyReader(rest_of_key).text();
    if (!principal || !role_key) return std::nullopt;
    return GrantPlace{*principal, *std::move(role_key)};
}

}  // namespace

sdk::Result<std::optional<sdk::RecordKey>> everyone_of(const sdk::Reader& reader,
                                                       std::uint64_t platform) {
    return reader.get(everyone_key(platform));
}

sdk::Result<std::vector<sdk::RecordKey>> membership_starts(const sdk::Reader& reader,
                                                           RecordTree& tree, std::uint64_t platform,
                                                           const sdk::RecordKey& principal) {
    const auto home = platform_of(principal);
    if (!home) return home.error();
    std::vector<sdk::RecordKey> starts{principal};
    if (*home != platform) return starts;
    auto everyone = everyone_of(reader, platform);
    if (!everyone) return everyone.error();
    if (!*everyone || **everyone == principal) return starts;
    const auto belongs = tree.is_of_everyone(reader, principal);
    if (!belongs) return belongs.error();
    if (*belongs) starts.push_back(**std::move(everyone));
    return starts;
}

sdk::Result<EffectiveRoles> EffectiveRoles::open(const sdk::Reader& reader, RecordTree& tree,
                                                 const sdk::RecordKey& principal,
                                                 const sdk::RecordKey& record) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    EffectiveRoles roles(reader, tree, *platform, principal);
    auto chain = container_chain(reader, tree, record);
    if (!chain) return chain.error();
    roles.chain_ = *std::move(chain);
    if (auto found = roles.find_starts(); !found) return found.error();
    return roles;
}

sdk::Result<EffectiveRoles> EffectiveRoles::open_contents(const sdk::Reader& reader,
                                                          RecordTree& tree,
                                                          const sdk::RecordKey& principal,
                                                          const sdk::RecordKey& container) {
    const auto platform = platform_of(container);
    if (!platform) return platform.error();
    EffectiveRoles roles(reader, tree, *platform, principal);
    auto chain = contents_chain(reader, tree, container);
    if (!chain) return chain.error();
    roles.chain_ = *std::move(chain);
    if (auto found = roles.find_starts(); !found) return found.error();
    return roles;
}

sdk::Result<void> EffectiveRoles::find_starts() {
    const auto is_removed = RemovedCollections(*reader_).has(principal_);
    if (!is_removed) return is_removed.error();
    if (*is_removed) return {};
    auto starts = membership_starts(*reader_, *tree_, platform_, principal_);
    if (!starts) return starts.error();
    auto everyone = everyone_of(*reader_, platform_);
    if (!everyone) return everyone.error();
    everyone_ = *std::move(everyone);
    starts_ = *std::move(starts);
    return {};
}

sdk::Result<const std::vector<sdk::RecordKey>*> EffectiveRoles::holders() const {
    if (!holders_) {
        auto groups = relatives(*reader_, platform_, Towards::groups, starts_, true);
        if (!groups) return groups.error();
        std::vector<sdk::RecordKey> found = starts_;
        for (Relative& group : *groups)
            found.push_back(std::move(group.key));
        std::sort(found.begin(), found.end());
        holders_ = std::move(found);
    }
    return &*holders_;
}

sdk::Result<void> EffectiveRoles::each(Reach reach, const Visit& visit) const {
    RoleLookup roles(*reader_, chain_);
    for (std::size_t level = 0; level < chain_.size(); ++level) {
        if (reach == Reach::inside && chain_.is_sibling(level)) continue;
        const auto counted = counted_on(level, reach);
        if (!counted) return counted.error();
        auto goes_on = each_on(level, *counted, roles, visit);
        if (goes_on && *goes_on && *counted == Counted::all)
            goes_on = each_own(level, roles, visit);
        if (!goes_on) return goes_on.error();
        if (!*goes_on) break;
    }
    return {};
}

sdk::Result<void> EffectiveRoles::search(Reach reach, const Visit& visit) const {
    RoleLookup roles(*reader_, chain_);
    bool is_whole = true;
    for (std::size_t level = 0; level < chain_.size(); ++level) {
        if (reach == Reach::inside && chain_.is_sibling(level)) continue;
        const auto counted = counted_on(level, reach);
        if (!counted) return counted.error();
        const auto looked = look_on(level, *counted, roles, visit);
        if (!looked) return looked.error();
        is_whole = is_whole && looked->is_whole;
        sdk::Result<bool> goes_on = looked->goes_on;
        if (*goes_on && *counted == Counted::all) goes_on = each_own(level, roles, visit);
        if (!goes_on) return goes_on.error();
        if (!*goes_on) return {};
    }
    return is_whole ? sdk::Result<void>() : each(reach, visit);
}

sdk::Result<EffectiveRoles::Counted> EffectiveRoles::counted_on(std::size_t level,
                                                                Reach reach) const {
    if (reach == Reach::record) {
        const bool is_bounded = chain_.is_bounded(level);
        if (chain_.is_own(level)) return is_bounded ? Counted::all_whole : Counted::all;
        if (is_bounded) return Counted::whole;
    }
    const auto is_reaching = tree_->has_reaching_grants(*reader_, chain_[level]);
    if (!is_reaching) return is_reaching.error();
    return *is_reaching ? Counted::reading : Counted::reaching;
}

sdk::Result<sdk::PermissionSet> EffectiveRoles::reaching_from(std::size_t level, Counted counted,
                                                              RoleLookup& roles) const {
    sdk::PermissionSet held;
    const Visit add = [&held](const HeldRole& role) {
        held |= role.permissions;
        return held != sdk::PermissionSet::all();
    };
    const auto looked = look_on(level, counted, roles, add);
    if (!looked) return looked.error();
    if (looked->is_whole || !looked->goes_on) return held;
    const auto goes_on = each_on(level, counted, roles, add);
    if (!goes_on) return goes_on.error();
    return held;
}

sdk::Result<sdk::PermissionSet> EffectiveRoles::bounded() const {
    if (!chain_.origin()) return sdk::PermissionSet();
    RoleLookup roles(*reader_, chain_);
    const std::size_t level = chain_.container_level();
    const auto counted = counted_on(level, Reach::inside);
    if (!counted) return counted.error();
    auto held = reaching_from(level, *counted, roles);
    for (std::size_t sibling = 1; held && sibling < level; ++sibling) {
        if (*held == sdk::PermissionSet::all()) break;
        const auto more = from_sibling(sibling, roles);
        if (!more) return more.error();
        *held |= *more;
    }
    return held;
}

sdk::Result<sdk::PermissionSet> EffectiveRoles::from_sibling(std::size_t level,
                                                             RoleLookup& roles) const {
    auto held = reaching_from(level, Counted::all, roles);
    if (!held || *held == sdk::PermissionSet::all()) return held;
    const auto goes_on = each_own(level, roles, [&held](const HeldRole& role) {
        *held |= role.permissions;
        return *held != sdk::PermissionSet::all();
    });
    if (!goes_on) return goes_on.error();
    return held;
}

sdk::Result<sdk::PermissionSet> EffectiveRoles::everywhere_inside(Contents contents) const {
    RoleLookup roles(*reader_, chain_);
    const auto reaching_inside = [&](std::size_t level) -> sdk::Result<sdk::PermissionSet> {
        const auto counted = counted_on(level, Reach::inside);
        if (!counted) return counted.error();
        return reaching_from(level, *counted, roles);
    };
    sdk::PermissionSet above;
    for (std::size_t level = chain_.size(); level-- > chain_.origins() + 1;) {
        const auto held = reaching_inside(level);
        if (!held) return held.error();
        above |= *held;
        if (above == sdk::PermissionSet::all()) return above;
    }
    // By level: the container, then those that contents may have come from.
    std::vector<sdk::PermissionSet> reaching;
    std::vector<sdk::PermissionSet> whole;
    for (std::size_t level = 0; level <= chain_.origins(); ++level) {
        const auto held = reaching_inside(level);
        if (!held) return held.error();
        reaching.push_back(*held);
        // Nothing came into the container that contents were made in.
        if (level == chain_.origins()) continue;
        const auto given_whole = reaching_from(level, Counted::whole, roles);
        if (!given_whole) return given_whole.error();
        whole.push_back(*given_whole);
    }
    sdk::PermissionSet everywhere = sdk::PermissionSet::all();
    for (std::size_t birth = 0; birth <= chain_.origins(); ++birth) {
        if (birth == 0 ? contents == Contents::inherited : contents == Contents::made_there)
            continue;
        sdk::PermissionSet held = above | reaching[birth];
        for (std::size_t level = birth; level > 0; --level)
            held = above | whole[level - 1] | in_both(reaching[level - 1], held);
        everywhere = in_both(everywhere, held);
    }
    return everywhere;
}

sdk::Result<bool> EffectiveRoles::each_own(std::size_t level, RoleLookup& roles,
                                           const Visit& visit) const {
    if (starts_.empty()) return true;
    const sdk::RecordKey& record = chain_[level];
    const auto given = tree_->roles_of(*reader_, record, principal_);
    if (!given) return given.error();
    for (const std::string& role_key : *given) {
        const auto role = roles.find(level, fold_role_key(role_key));
        if (!role) return role.error();
        if (!*role) continue;
        // Such a role has no grant that could have an id.
        GrantEntry entry{false, false, sdk::space_record_id(record) + "-" + (*role)->key,
                         (*role)->key};
        if (!visit({std::move(entry), principal_, level, (*role)->permissions})) return false;
    }
    return true;
}

bool EffectiveRoles::counts_for_sure(Counted counted, bool is_reaching, bool is_whole) {
    switch (counted) {
        case Counted::all:
            return true;
        case Counted::all_whole:
            return is_whole;
        case Counted::whole:
            return is_reaching && is_whole;
        case Counted::reaching:
        case Counted::reading:
            return is_reaching;
    }
    return false;
}

sdk::Result<bool> EffectiveRoles::is_near(std::string_view holder) const {
    for (const sdk::RecordKey& start : starts_) {
        if (start == holder) return true;
        const auto stored = reader_->get(membership_key(platform_, kMembershipTag, start, holder));
        if (!stored) return stored.error();
        if (!*stored) continue;
        const auto is_removed = RemovedCollections(*reader_).has(holder);
        if (!is_removed) return is_removed.error();
        return !*is_removed;
    }
    return false;
}

sdk::Result<bool> EffectiveRoles::visit_grant(const Grant& found, std::size_t level,
                                              Counted counted, RoleLookup& roles,
                                              const Visit& visit) const {
    auto grant = GrantEntry::decode(found.value);
    if (!grant) return grant.error();
    const bool is_reaching = grant->is_deep || found.role_key == kOwner;
    const bool is_certain = counts_for_sure(counted, is_reaching, grant->is_whole);
    if (!is_certain && (counted != Counted::reading || found.holder == everyone_)) return true;
    const auto role = roles.find(level, found.role_key);
    if (!role) return role.error();
    if (!*role || (!is_certain && !(*role)->permissions.has(sdk::Permission::read))) return true;
    return visit({*std::move(grant), sdk::RecordKey(found.holder), level, (*role)->permissions});
}

sdk::Result<EffectiveRoles::Looked> EffectiveRoles::look_on(std::size_t level, Counted counted,
                                                            RoleLookup& roles,
                                                            const Visit& visit) const {
    Looked looked;
    if (starts_.empty()) return looked;
    const std::string prefix = entries_prefix(platform_, kGrantTag, chain_[level]);
    const auto cursor =
        reader_->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (int steps = 0; cursor->is_valid(); cursor->next()) {
        if (++steps > kStepsBeforeSeek) {
            looked.is_whole = false;
            break;
        }
        const auto place = split_grant(cursor->key().substr(prefix.size()));
        if (!place) return broken_entry("the key of a grant");
        const auto is_counted = is_near(place->principal);
        if (!is_counted) return is_counted.error();
        if (!*is_counted) {
            looked.is_whole = false;
            continue;
        }
        const auto goes_on = visit_grant({place->principal, place->role_key, cursor->value()},
                                         level, counted, roles, visit);
        if (!goes_on) return goes_on.error();
        looked.goes_on = *goes_on;
        if (!looked.goes_on) return looked;
    }
    const auto status = cursor->status();
    if (!status) return status.error();
    return looked;
}

// The grants of a record and the holders are both sorted by principal, so one cursor meets them
// all, leaping over whatever is of no interest on either side.
sdk::Result<bool> EffectiveRoles::each_on(std::size_t level, Counted counted, RoleLookup& roles,
                                          const Visit& visit) const {
    const auto holders = this->holders();
    if (!holders) return holders.error();
    const std::string prefix = entries_prefix(platform_, kGrantTag, chain_[level]);
    const auto cursor =
        reader_->scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    auto holder = (*holders)->begin();
    int steps = 0;
    while (cursor->is_valid()) {
        const auto place = split_grant(cursor->key().substr(prefix.size()));
        if (!place) return broken_entry("the key of a grant");
        holder = std::lower_bound(holder, (*holders)->end(), place->principal);
        if (holder == (*holders)->end()) break;
        if (*holder != place->principal) {
            if (++steps <= kStepsBeforeSeek) {
                cursor->next();
            } else {
                cursor->seek(prefix + *holder);
            }
            continue;
        }
        const auto goes_on = visit_grant({place->principal, place->role_key, cursor->value()},
                                         level, counted, roles, visit);
        if (!goes_on || !*goes_on) return goes_on;
        cursor->next();
    }
    const auto status = cursor->status();
    if (!status) return status.error();
    return true;
}

}  // namespace stele::kernel::authority
