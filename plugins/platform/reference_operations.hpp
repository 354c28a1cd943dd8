#pragma once

#include <stele/sdk/call.hpp>
#include <stele/sdk/reply.hpp>
#include <stele/sdk/services/family_operations.hpp>
#include <stele/sdk/services/inner_rights.hpp>
#include <stele/sdk/services/principal_directory.hpp>

namespace stele::platform {

/// Operations on records that are named by reference, whatever family they belong to
/// (docs/specification/platform.md 4.5 and 15). Those for many take and answer a list `entries`,
/// in the same order.
class ReferenceOperations {
public:
    /// All must outlive this object.
    ReferenceOperations(sdk::PrincipalDirectory& principals, sdk::InnerRights& inner_rights,
                        sdk::FamilyOperations& families)
        : principals_(principals), inner_rights_(inner_rights), families_(families) {}

    /// POST /ref/read : the records; null for those that are not there or not to be read.
    sdk::Result<sdk::Reply> read(const sdk::Call& call) const;
    /// GET /ref/diff?source=&target= : `{diff}`, a JSON Patch that makes the source say what the
    /// target says; who wrote it and when, and its id, left out.
    sdk::Result<sdk::Reply> difference(const sdk::Call& call) const;
    /// POST /ref/merge?source= : applies a JSON Patch, such as `difference` answers, as an update
    /// of the record, and answers that.
    sdk::Result<sdk::Reply> merge(const sdk::Call& call) const;
    /// POST /access/lookup : roles and permissions of a principal on a record.
    sdk::Result<sdk::Reply> look_up(const sdk::Call& call) const;
    /// POST /access/check : whether a principal has a permission or role on a record.
    sdk::Result<sdk::Reply> check(const sdk::Call& call) const;

private:
    struct Subject;
    sdk::Result<Subject> subject_of(sdk::Context& context, const sdk::Json& entry) const;
    sdk::Result<sdk::PermissionSet> permissions_of(sdk::Context& context,
                                                   const Subject& subject) const;
    sdk::Result<bool> has_role(sdk::Context& context, const Subject& subject,
                               std::string_view role_key) const;
    sdk::Result<sdk::Json> roles_of(sdk::Context& context, const Subject& subject) const;
    sdk::Result<void> look_up_entry(sdk::Context& context, sdk::Json& entry) const;
    sdk::Result<void> check_entry(sdk::Context& context, sdk::Json& entry) const;

    sdk::PrincipalDirectory& principals_;
    sdk::InnerRights& inner_rights_;
    sdk::FamilyOperations& families_;
};

}  // namespace stele::platform
