#include <stele/sdk/permission.hpp>

#include <catch2/catch.hpp>

using stele::sdk::find_built_in_role;
using stele::sdk::find_permission;
using stele::sdk::Permission;
using stele::sdk::permission_name;
using stele::sdk::PermissionSet;

namespace {

PermissionSet role(std::string_view key) {
    const auto* found = find_built_in_role(key);
    REQUIRE(found != nullptr);
    return found->permissions;
}

}  // namespace

TEST_CASE("every permission is found by its name in any case") {
    for (int i = 0; i < stele::sdk::kPermissionCount; ++i) {
        const auto permission = static_cast<Permission>(i);
        CHECK(find_permission(permission_name(permission)) == permission);
    }
    CHECK(find_permission("create_Subobjects") == Permission::create_subobjects);
    CHECK(find_permission("delete") == Permission::remove);
    CHECK(permission_name(Permission::remove) == "DELETE");
    CHECK(permission_name(Permission::modify_permissions_with_definition) ==
          "MODIFY_PERMISSIONS_WITH_DEFINITION");
    CHECK_FALSE(find_permission("REMOVE").has_value());
    CHECK_FALSE(find_permission("").has_value());
}

TEST_CASE("the built-in roles hold what the specification says") {
    using enum Permission;
    CHECK(role("connector") == PermissionSet{connect});
    CHECK(role("consumer") == PermissionSet{connect, read});
    CHECK(role("contributor") == PermissionSet{connect, read, create_subobjects});
    CHECK(role("editor") == PermissionSet{connect, read, update, remove});
    CHECK(role("COLLABORATOR") == PermissionSet{connect, read, create_subobjects, update, remove});
    CHECK(role("Manager") == PermissionSet{connect, read, create_subobjects, update, remove,
                                           modify_permissions, modify_credentials});
    CHECK(role("owner") == PermissionSet::all());
    CHECK(stele::sdk::built_in_roles().size() == 7);
    CHECK(find_built_in_role("boss") == nullptr);
}

TEST_CASE("all permissions are each of them") {
    for (int i = 0; i < stele::sdk::kPermissionCount; ++i) {
        CHECK(PermissionSet::all().has(static_cast<Permission>(i)));
    }
}
