#pragma once

#include <functional>
#include <optional>
#include <string_view>
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
    /// For `everywhere_inside` of a container.
    static sdk::Result<EffectiveRoles> open_contents(const sdk::Reader& reader, RecordTree& tree,
                                                     const sdk::RecordKey& principal,
                                                     const sdk::RecordKey& container);

    /// Whether the principal lies in a container that is being removed, and has no rights any more.
    bool is_without_rights() const { return starts_.empty(); }
    /// The principal, the groups that contain it and `everyone` with its groups; sorted. Whoever
    /// has made thousands of records is in thousands of groups: the first call walks over them.
    sdk::Result<const std::vector<sdk::RecordKey>*> holders() const;
    const ContainerChain& chain() const { return chain_; }
    std::uint64_t platform() const { return platform_; }

    enum class Reach {
        /// The record itself: its grants, the roles that it gives by itself, the same of the
        /// siblings from which it inherits, and grants on its containers that reach inside.
        record,
        /// What the record contains: grants on it and its containers that reach inside.
        inside,
    };
    /// Visits what counts, innermost first, until `visit` answers false.
    using Visit = std::function<bool(const HeldRole&)>;
    sdk::Result<void> each(Reach reach, const Visit& visit) const;
    /// Visits what counts in any order, and some of it twice, until `visit` answers false: first
    /// what is found without a walk over all groups of the principal, which is enough for most.
    sdk::Result<void> search(Reach reach, const Visit& visit) const;
    /// What reaches the record from its container and its siblings, and counts only as far as the
    /// principal has it where the record came from; empty where that is its own container.
    sdk::Result<sdk::PermissionSet> bounded() const;
    /// What reaches all contents of a container, those that were made there, or all of those that
    /// came from other containers: of what it came from each part has rights of its own.
    enum class Contents { all, made_there, inherited };
    sdk::Result<sdk::PermissionSet> everywhere_inside(Contents contents) const;

private:
    /// A stored grant on a record of the chain.
    struct Grant {
        std::string_view holder;
        std::string_view role_key;
        std::string_view value;
    };

    EffectiveRoles(const sdk::Reader& reader, RecordTree& tree, std::uint64_t platform,
                   const sdk::RecordKey& principal)
        : reader_(&reader), tree_(&tree), platform_(platform), principal_(principal) {}
    /// The roles that the record at a level gives by itself.
    sdk::Result<bool> each_own(std::size_t level, RoleLookup& roles, const Visit& visit) const;
    sdk::Result<void> find_starts();
    /// Which grants on a record count for another one: all, because that is its own; those that
    /// reach in any case; beside these those of roles with READ, except of `everyone`; and of those
    /// all, or of those that reach, only the whole ones, where the other one merely came into the
    /// container.
    enum class Counted { all, reaching, reading, all_whole, whole };
    /// A role with READ may count besides.
    static bool counts_for_sure(Counted counted, bool is_reaching, bool is_whole);
    sdk::Result<Counted> counted_on(std::size_t level, Reach reach) const;
    sdk::Result<sdk::PermissionSet> reaching_from(std::size_t level, Counted counted,
                                                  RoleLookup& roles) const;
    /// All that a sibling gives.
    sdk::Result<sdk::PermissionSet> from_sibling(std::size_t level, RoleLookup& roles) const;
    sdk::Result<bool> each_on(std::size_t level, Counted counted, RoleLookup& roles,
                              const Visit& visit) const;
    /// What a look at the first few grants tells.
    struct Looked {
        /// As `visit` answered.
        bool goes_on = true;
        /// Whether each grant was looked at, and is of somebody whose grants surely count.
        bool is_whole = true;
    };
    sdk::Result<Looked> look_on(std::size_t level, Counted counted, RoleLookup& roles,
                                const Visit& visit) const;
    /// Whether the grants of a principal count, as far as one entry tells: those of a start, and of
    /// a group that has a start among its members.
    sdk::Result<bool> is_near(std::string_view holder) const;
    /// Visits the grant if it counts; answers as `visit`.
    sdk::Result<bool> visit_grant(const Grant& found, std::size_t level, Counted counted,
                                  RoleLookup& roles, const Visit& visit) const;

    const sdk::Reader* reader_;
    RecordTree* tree_;
    std::uint64_t platform_;
    sdk::RecordKey principal_;
    /// Of the walk over groups; none of somebody without rights.
    std::vector<sdk::RecordKey> starts_;
    mutable std::optional<std::vector<sdk::RecordKey>> holders_;
    std::optional<sdk::RecordKey> everyone_;
    ContainerChain chain_;
};

/// The group of everybody on a platform; nothing when none is set.
sdk::Result<std::optional<sdk::RecordKey>> everyone_of(const sdk::Reader& reader,
                                                       std::uint64_t platform);
/// A principal, and `everyone` where it belongs to it: where the walk over its groups begins.
sdk::Result<std::vector<sdk::RecordKey>> membership_starts(const sdk::Reader& reader,
                                                           RecordTree& tree, std::uint64_t platform,
                                                           const sdk::RecordKey& principal);

}  // namespace stele::kernel::authority
