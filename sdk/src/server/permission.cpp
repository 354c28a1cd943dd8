#include <stele/sdk/permission.hpp>

#include <array>
#include <cstddef>

#include <stele/sdk/letter_case.hpp>

namespace stele::sdk {

namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, kPermissionCount> kNames{
    "CONNECT",
    "READ",
    "CREATE_SUBOBJECTS",
    "UPDATE",
    "DELETE",
    "MODIFY_PERMISSIONS",
    "MODIFY_CREDENTIALS",
    "GRANTAUTH",
    "IMPERSONATE",
    "CREATE_WITH_DEFINITION",
    "READ_WITH_DEFINITION",
    "UPDATE_WITH_DEFINITION",
    "DELETE_WITH_DEFINITION",
    "MODIFY_PERMISSIONS_WITH_DEFINITION",
};

}  // namespace

std::string_view permission_name(Permission permission) {
    return kNames[static_cast<std::size_t>(permission)];
}

std::vector<std::string_view> permission_names(PermissionSet permissions) {
    std::vector<std::string_view> names;
    for (int i = 0; i < kPermissionCount; ++i) {
        const auto permission = static_cast<Permission>(i);
        if (permissions.has(permission)) names.push_back(permission_name(permission));
    }
    return names;
}

std::optional<Permission> find_permission(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (equals_ignoring_case(kNames[i], name)) return static_cast<Permission>(i);
    }
    return std::nullopt;
}

const std::vector<BuiltInRole>& built_in_roles() {
    using enum Permission;
    static const std::vector<BuiltInRole> roles{
        {"connector", {connect}},
        {"consumer", {connect, read}},
        {"contributor", {connect, read, create_subobjects}},
        {"editor", {connect, read, update, remove}},
        {"collaborator", {connect, read, create_subobjects, update, remove}},
        {"manager",
         {connect, read, create_subobjects, update, remove, modify_permissions,
          modify_credentials}},
        {"owner", PermissionSet::all()},
    };
    return roles;
}

const BuiltInRole* find_built_in_role(std::string_view key) {
    for (const BuiltInRole& role : built_in_roles()) {
        if (equals_ignoring_case(role.key, key)) return &role;
    }
    return nullptr;
}

}  // namespace stele::sdk
