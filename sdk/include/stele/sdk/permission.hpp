#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stele::sdk {

/// One right on a record (docs/specification/platform.md 4.2, docs/specification/semantics.md 5.2).
enum class Permission : std::uint8_t {
    connect,
    read,
    create_subobjects,
    update,
    remove,
    modify_permissions,
    modify_credentials,
    grantauth,
    impersonate,
    create_with_definition,
    read_with_definition,
    update_with_definition,
    delete_with_definition,
    modify_permissions_with_definition,
};

inline constexpr int kPermissionCount = 14;

/// A set of permissions; a plain value of eight bytes.
class PermissionSet {
public:
    constexpr PermissionSet() = default;
    constexpr PermissionSet(std::initializer_list<Permission> permissions) {
        for (Permission permission : permissions)
            bits_ |= bit(permission);
    }

    static constexpr PermissionSet all() { return PermissionSet((1u << kPermissionCount) - 1); }
    static constexpr PermissionSet from_bits(std::uint32_t bits) { return PermissionSet(bits); }

    constexpr std::uint32_t bits() const { return bits_; }
    constexpr bool has(Permission permission) const { return (bits_ & bit(permission)) != 0; }
    constexpr bool contains(PermissionSet other) const {
        return (bits_ & other.bits_) == other.bits_;
    }
    constexpr bool is_empty() const { return bits_ == 0; }

    constexpr PermissionSet& operator|=(PermissionSet other) {
        bits_ |= other.bits_;
        return *this;
    }
    constexpr PermissionSet& operator-=(PermissionSet other) {
        bits_ &= ~other.bits_;
        return *this;
    }
    friend constexpr PermissionSet operator|(PermissionSet a, PermissionSet b) { return a |= b; }
    friend constexpr bool operator==(PermissionSet, PermissionSet) = default;

private:
    explicit constexpr PermissionSet(std::uint32_t bits) : bits_(bits) {}
    static constexpr std::uint32_t bit(Permission permission) {
        return 1u << static_cast<unsigned>(permission);
    }

    std::uint32_t bits_ = 0;
};

/// The wire name, upper case (`CREATE_SUBOBJECTS`).
std::string_view permission_name(Permission permission);
/// Those of a set, in the order of the declaration.
std::vector<std::string_view> permission_names(PermissionSet permissions);

/// The permission of a wire name, compared without regard to case; nothing when unknown.
std::optional<Permission> find_permission(std::string_view name);

/// A built-in role; `key` is lower case.
struct BuiltInRole {
    std::string_view key;
    PermissionSet permissions;
};

/// The seven built-in roles, from `connector` to `owner` (docs/specification/platform.md 4.2).
const std::vector<BuiltInRole>& built_in_roles();

/// The built-in role of a key, compared without regard to case; null when there is none.
const BuiltInRole* find_built_in_role(std::string_view key);

}  // namespace stele::sdk
