#include "branch/branch_rights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stele/sdk/authorities.hpp>

namespace stele::nodes {

sdk::Result<void> require_in_branch(const BranchContent& content, sdk::PermissionSet permissions) {
    if (content.changes().is_server_alone(content.context())) return {};
    auto covered = content.context().authorities().covers_inside(content.principal().key,
                                                                 content.branch(), permissions);
    if (!covered) return covered.error();
    if (*covered) return {};
    const bool is_everything = permissions == sdk::PermissionSet::all();
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "authority.permission_missing",
        fmt::format("{} on everything in the branch is needed for this",
                    is_everything ? std::string("every permission")
                                  : fmt::format("{}", fmt::join(sdk::permission_names(permissions),
                                                                " and "))));
}

}  // namespace stele::nodes
