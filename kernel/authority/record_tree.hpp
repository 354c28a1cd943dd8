#pragma once

#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>
#include <stele/sdk/services/policy_source.hpp>

namespace stele::kernel::authority {

/// What the evaluation of rights must know of records; the room `resource` implements it.
class RecordTree {
public:
    virtual ~RecordTree() = default;

    /// The record that contains this one; nothing for a platform's root record.
    virtual sdk::Result<std::optional<sdk::RecordKey>> container_of(
        const sdk::Reader& reader, const sdk::RecordKey& record) = 0;
    /// The facts that policies look at. The subject must not outlive `reader`.
    virtual sdk::Result<sdk::PolicySubject> subject(const sdk::Reader& reader,
                                                    const sdk::RecordKey& record) = 0;
    /// What everybody may do with the record because the data store that it is or lies in does not
    /// check rights. READ on a container reaches everything inside.
    virtual sdk::Result<sdk::PermissionSet> open_permissions(const sdk::Reader&,
                                                             const sdk::RecordKey&) {
        return sdk::PermissionSet();
    }
    /// True when records of this one's collection contain others, so that grants on it may reach
    /// further than itself.
    virtual bool is_container(const sdk::RecordKey& record) = 0;
    /// Whether roles with READ that were granted on the record count for everything inside it, too.
    virtual sdk::Result<bool> has_reaching_grants(const sdk::Reader&, const sdk::RecordKey&) {
        return false;
    }
    /// Whether what records of this one's collection say decides about rights on them: then
    /// `roles_of` and `inherits_from` may answer something, and decisions hold for the very state
    /// only at which they were made.
    virtual sdk::Result<bool> has_own_rights(const sdk::Reader&, const sdk::RecordKey&) {
        return false;
    }
    /// Whether a principal of the platform has the rights of its group `everyone`.
    virtual sdk::Result<bool> is_of_everyone(const sdk::Reader&, const sdk::RecordKey&) {
        return true;
    }
    /// Keys of the built-in roles that the record itself gives the principal.
    virtual sdk::Result<std::vector<std::string>> roles_of(const sdk::Reader&,
                                                           const sdk::RecordKey&,
                                                           const sdk::RecordKey&) {
        return std::vector<std::string>();
    }
    /// Containers through which the record came into its own one, nearest first; the one that it
    /// was made in is the last. None where that is its own.
    virtual sdk::Result<std::vector<sdk::RecordKey>> origins_of(const sdk::Reader&,
                                                                const sdk::RecordKey&) {
        return std::vector<sdk::RecordKey>();
    }
    /// The same for whatever lies in a container.
    virtual sdk::Result<std::vector<sdk::RecordKey>> origins_inside(const sdk::Reader&,
                                                                    const sdk::RecordKey&) {
        return std::vector<sdk::RecordKey>();
    }
    /// What the record is in another container that it came from; nothing when that has no records.
    virtual sdk::Result<std::optional<sdk::RecordKey>> record_inside(
        const sdk::Reader&, const sdk::RecordKey& /*record*/, const sdk::RecordKey& /*container*/) {
        return std::optional<sdk::RecordKey>();
    }
    /// Records of its own collection from which rights reach this one, nearest first.
    virtual sdk::Result<std::vector<sdk::RecordKey>> inherits_from(const sdk::Reader&,
                                                                   const sdk::RecordKey&) {
        return std::vector<sdk::RecordKey>();
    }
};

}  // namespace stele::kernel::authority
