// What a group or a principal has altogether, measured against the giver.
#include <algorithm>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"
#include "kernel/authority/effective_roles.hpp"
#include "kernel/authority/gift_measure.hpp"
#include "kernel/authority/inheritance.hpp"
#include "kernel/authority/relatives.hpp"

namespace stele::kernel::authority {

namespace {

constexpr sdk::PermissionSet kOnItself{sdk::Permission::connect, sdk::Permission::read,
                                       sdk::Permission::update};

using Policies = sdk::PolicySource::Reach;
using InProjects = sdk::PolicySource::Reach::InProjects;

/// Custom roles mean something else in each place, so that they count as everything.
sdk::PermissionSet most_of(const std::vector<std::string>& role_keys) {
    sdk::PermissionSet permissions;
    for (const std::string& role_key : role_keys) {
        const sdk::BuiltInRole* const role = sdk::find_built_in_role(role_key);
        permissions |= role ? role->permissions : sdk::PermissionSet::all();
    }
    return permissions;
}

sdk::PolicyHolder policy_holder_of(std::vector<sdk::RecordKey> keys) {
    sdk::PolicyHolder holder;
    if (keys.empty()) return holder;
    holder.principal = keys.front();
    holder.groups.assign(std::next(keys.begin()), keys.end());
    return holder;
}

}  // namespace

/// The giver and the groups that it is in: what these hold it holds.
sdk::Result<const std::vector<sdk::RecordKey>*> GiftMeasure::own_holders(std::uint64_t platform) {
    if (const auto known = own_holders_.find(platform); known != own_holders_.end())
        return &known->second;
    auto keys = membership_starts(reader_, tree_, platform, giver_);
    if (!keys) return keys.error();
    auto groups = relatives(reader_, platform, Towards::groups, *keys, true);
    if (!groups) return groups.error();
    for (Relative& group : *groups)
        keys->push_back(std::move(group.key));
    std::sort(keys->begin(), keys->end());
    return &own_holders_.emplace(platform, *std::move(keys)).first->second;
}

/// The principal, `everyone` where that is asked for, and the groups that contain them.
sdk::Result<GiftMeasure::Holders> GiftMeasure::holders_above(const sdk::RecordKey& principal,
                                                             bool has_everyone) {
    Holders holders;
    const auto platform = platform_of(principal);
    if (!platform) return platform.error();
    holders.platform = *platform;
    const auto chain = container_chain(reader_, tree_, principal);
    if (!chain) return chain.error();
    holders.root = (*chain)[chain->size() - 1];
    holders.keys = {principal};
    if (has_everyone) {
        auto starts = membership_starts(reader_, tree_, *platform, principal);
        if (!starts) return starts.error();
        holders.keys = *std::move(starts);
    }
    auto groups = relatives(reader_, *platform, Towards::groups, holders.keys, true);
    if (!groups) return groups.error();
    for (Relative& group : *groups)
        holders.keys.push_back(std::move(group.key));
    return holders;
}

/// What policies grant and revoke by these roles, on the platform and inside: where conditions hold
/// is not looked at.
sdk::Result<bool> GiftMeasure::covers_roles_of_policies(
    const Holders& holders, const sdk::PolicySource::Reach& reach,
    std::vector<std::string> sdk::PolicySource::Reach::*anywhere,
    std::vector<std::string> sdk::PolicySource::Reach::InProjects::*in_projects) {
    auto covered = covers_on(holders.root, most_of(reach.*anywhere), Reach::inside);
    for (const auto& bounded : reach.in_projects) {
        if (!covered || !*covered) return covered;
        covered = covers_in_projects(holders.root, bounded.assigned_to, bounded.*in_projects);
    }
    return covered;
}

/// What a team of a project's stack has in projects is measured there: whatever widens it later,
/// another store in the stack or another project, is measured then. A store may come into stacks
/// whose owners nobody asks about its teams, and others have it in every project: on the platform.
sdk::Result<bool> GiftMeasure::covers_in_projects(const sdk::RecordKey& root,
                                                  const sdk::RecordKey& assigned_to,
                                                  const std::vector<std::string>& role_keys) {
    const sdk::PermissionSet permissions = most_of(role_keys);
    const auto everywhere = covers_on(root, permissions, Reach::inside);
    if (!everywhere || *everywhere) return everywhere;
    const auto subject = tree_.subject(reader_, assigned_to);
    if (!subject) return subject.error();
    if (!subject->team_record || !subject->projects_of) return false;
    const auto team = subject->team_record(assigned_to);
    if (!team) return team.error();
    if (!*team) return false;
    const auto sources = sources_of(reader_, **team);
    if (!sources) return sources.error();
    const auto projects = subject->projects_of(**team);
    if (!projects) return projects.error();
    if (!sources->empty() || projects->empty()) return false;
    auto covered = covers_on(**team, permissions, Reach::inside);
    for (const sdk::PolicySubject::Project& project : *projects) {
        if (!covered || !*covered) return covered;
        const bool has_inside = tree_.is_container(project.key);
        covered = covers_on(project.key, permissions, has_inside ? Reach::inside : Reach::record);
    }
    return covered;
}

/// Of what policies take in projects comes back what others give.
sdk::Result<bool> GiftMeasure::covers_leaving_projects(const sdk::RecordKey& record,
                                                       const sdk::RecordKey& source) {
    if (!policies_) return true;
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    const auto is_in_any = lies_in_projects(source);
    if (!is_in_any || !*is_in_any) return is_in_any ? sdk::Result<bool>(true) : is_in_any;
    const auto moved = policies_->outside_projects(reader_, *platform);
    if (!moved) return moved.error();
    const std::uint64_t back =
        most_of(moved->revoked_inside).bits() & most_of(moved->granted).bits();
    return covers_inside(record,
                         most_of(moved->granted_only_there) | sdk::PermissionSet::from_bits(back));
}

sdk::Result<bool> GiftMeasure::lies_in_projects(const sdk::RecordKey& record) {
    const auto subject = tree_.subject(reader_, record);
    if (!subject) return subject.error();
    if (!subject->projects_of) return false;
    const auto projects = subject->projects_of(record);
    if (!projects) return projects.error();
    return !projects->empty();
}

/// Policies of scope `project` take nothing from a team whose record lies in no project.
sdk::Result<void> GiftMeasure::leave_out_idle(sdk::PolicySource::Reach& reach) {
    std::vector<InProjects> counting;
    for (InProjects& bounded : reach.in_projects) {
        const auto subject = tree_.subject(reader_, bounded.assigned_to);
        if (!subject) return subject.error();
        std::optional<sdk::RecordKey> record;
        if (subject->team_record) {
            auto team = subject->team_record(bounded.assigned_to);
            if (!team) return team.error();
            record = *std::move(team);
        }
        const auto counts = record ? lies_in_projects(*record) : sdk::Result<bool>(true);
        if (!counts) return counts.error();
        if (*counts) counting.push_back(std::move(bounded));
    }
    reach.in_projects = std::move(counting);
    return {};
}

/// Of groups that the giver is in too, only where no policies take from itself what those give.
sdk::Result<bool> GiftMeasure::covers_policies(const Holders& holders) {
    if (!policies_) return true;
    const auto own = own_holders(holders.platform);
    if (!own) return own.error();
    const auto taken = policies_->reach(reader_, holders.platform, policy_holder_of(**own));
    if (!taken) return taken.error();
    bool is_taken_from = !taken->revoked.empty();
    for (const InProjects& bounded : taken->in_projects)
        is_taken_from = is_taken_from || !bounded.revoked.empty();
    std::vector<sdk::RecordKey> others;
    for (const sdk::RecordKey& key : holders.keys) {
        if (is_taken_from || !std::binary_search((*own)->begin(), (*own)->end(), key))
            others.push_back(key);
    }
    if (others.empty()) return true;
    const auto reach =
        policies_->reach(reader_, holders.platform, policy_holder_of(std::move(others)));
    if (!reach) return reach.error();
    return covers_roles_of_policies(holders, *reach, &Policies::granted, &InProjects::granted);
}

sdk::Result<bool> GiftMeasure::covers_holders(const Holders& holders) {
    const auto everywhere = held_inside(holders.root);
    if (!everywhere) return everywhere.error();
    if (*everywhere == sdk::PermissionSet::all()) return true;
    const auto own = own_holders(holders.platform);
    if (!own) return own.error();
    for (const sdk::RecordKey& holder : holders.keys) {
        if (std::binary_search((*own)->begin(), (*own)->end(), holder)) continue;
        auto covered = covers_grants_of(holders.platform, holder);
        if (!covered || !*covered) return covered;
    }
    return covers_policies(holders);
}

sdk::Result<bool> GiftMeasure::covers_membership(const sdk::RecordKey& group) {
    const auto holders = holders_above(group, false);
    if (!holders) return holders.error();
    return covers_holders(*holders);
}

sdk::Result<bool> GiftMeasure::covers_departure(const sdk::RecordKey& group) {
    if (!policies_) return true;
    const auto holders = holders_above(group, false);
    if (!holders) return holders.error();
    auto reach = policies_->reach(reader_, holders->platform, policy_holder_of(holders->keys));
    if (!reach) return reach.error();
    if (auto counting = leave_out_idle(*reach); !counting) return counting.error();
    return covers_roles_of_policies(*holders, *reach, &Policies::revoked, &InProjects::revoked);
}

sdk::Result<bool> GiftMeasure::covers_principal(const sdk::RecordKey& principal) {
    if (principal == giver_) return true;
    const auto holders = holders_above(principal, true);
    if (!holders) return holders.error();
    auto covered = covers_on(principal, kOnItself, Reach::record);
    if (!covered || !*covered) return covered;
    covered = covers_owned_by(holders->platform, principal);
    if (!covered || !*covered) return covered;
    return covers_holders(*holders);
}

/// Which records these are is not known: there may be many.
sdk::Result<bool> GiftMeasure::covers_owned_by(std::uint64_t platform,
                                               const sdk::RecordKey& principal) {
    const std::string prefix = entries_prefix(platform, kOwnsInsideTag, principal);
    const auto cursor =
        reader_.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const sdk::RecordKey store(cursor->key().substr(prefix.size()));
        const auto held = held_inside(store);
        if (!held && sdk::is_missing(held.error())) continue;
        if (!held) return held.error();
        if (*held != sdk::PermissionSet::all()) return false;
    }
    if (auto status = cursor->status(); !status) return status.error();
    return true;
}

// Of the containers the one that lies on the platform: it stays when what is in it is copied
// about.
sdk::Result<void> AuthorityStore::note_owner(sdk::Transaction& transaction,
                                             const sdk::RecordKey& principal,
                                             const sdk::RecordKey& container) {
    const auto platform = platform_of(container);
    if (!platform) return platform.error();
    sdk::RecordKey store = container;
    while (true) {
        const auto around = tree_.container_of(transaction, store);
        if (!around) return around.error();
        if (!*around) return {};
        const auto beyond = tree_.container_of(transaction, **around);
        if (!beyond) return beyond.error();
        if (!*beyond) break;
        store = **around;
    }
    const std::string key = membership_key(*platform, kOwnsInsideTag, principal, store);
    const auto stored = transaction.get(key);
    if (!stored) return stored.error();
    if (!*stored) transaction.put(key, {});
    return {};
}

}  // namespace stele::kernel::authority
