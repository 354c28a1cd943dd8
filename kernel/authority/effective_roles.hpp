#pragma once

#include <functional>
#include <vector>

#include <stele/sdk/permission.hpp>

#include "kernel/authority/container_chain.hpp"
#include "kernel/authority/grant_entry.hpp"
#include "kernel/authority/role_lookup.hpp"

namespace stele::kernel::authority {

/// A grant that counts, and what its role means.
struct HeldRole {
    GrantEntry grant;
    sdk::RecordKey holder;
    /// The place in the chain of the record that the grant lies on.
    std::size_t level = 0;
    sdk::PermissionSet permissions;
};

/// The grants that give a principal rights on a record, policies left out. Grants of roles that are
/// no longer defined do not count. For one evaluation; the reader must outlive it.
class EffectiveRoles {
public:
    static sdk::Result<EffectiveRoles> open(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& principal,
                                            const sdk::RecordKey& record);

    /// The principal, the groups that contain it and `everyone` with its groups; sorted.
    const std::vector<sdk::RecordKey>& holders() const { return holders_; }
    const ContainerChain& chain() const { return chain_; }
    std::uint64_t platform() const { return platform_; }

    /// Visits the grants on the record itself and those on its containers that reach it, innermost
    /// first, until `visit` answers false. Levels below `first_reaching` need not reach.
    using Visit = std::function<bool(const HeldRole&)>;
    sdk::Result<void> each(std::size_t first_reaching, const Visit& visit) const;

private:
    EffectiveRoles(const sdk::Reader& reader, std::uint64_t platform)
        : reader_(&reader), platform_(platform) {}
    sdk::Result<bool> each_on(std::size_t level, bool must_reach, RoleLookup& roles,
                              const Visit& visit) const;

    const sdk::Reader* reader_;
    std::uint64_t platform_;
    std::vector<sdk::RecordKey> holders_;
    ContainerChain chain_;
};

/// The group of everybody on a platform; nothing when none is set.
sdk::Result<std::optional<sdk::RecordKey>> everyone_of(const sdk::Reader& reader,
                                                       std::uint64_t platform);
/// A principal, and `everyone` where it belongs to it: where the walk over its groups begins.
sdk::Result<std::vector<sdk::RecordKey>> membership_starts(const sdk::Reader& reader,
                                                           std::uint64_t platform,
                                                           const sdk::RecordKey& principal);

}  // namespace stele::kernel::authority
