#include "kernel/authority/role_lookup.hpp"

#include <algorithm>

#include "kernel/authority/authority_keys.hpp"

namespace stele::kernel::authority {

sdk::Result<std::optional<sdk::CustomRole>> defined_role(const sdk::Reader& reader,
                                                         std::string_view container,
                                                         std::string_view folded_key) {
    const auto platform = platform_of(container);
    if (!platform) return platform.error();
    auto value = reader.get(role_definition_key(*platform, container, folded_key));
    if (!value) return value.error();
    if (!*value) return std::optional<sdk::CustomRole>();
    auto role = decode_role(**value);
    if (!role) return role.error();
    return std::optional<sdk::CustomRole>(*std::move(role));
}

sdk::Result<sdk::CustomRole> decode_role(std::string_view value) {
    sdk::KeyReader reader(value);
    const auto bits = reader.integer();
    auto key = reader.text();
    if (!bits || *bits > sdk::PermissionSet::all().bits() || !key) return broken_entry("a role");
    return sdk::CustomRole{*std::move(key),
                           sdk::PermissionSet::from_bits(static_cast<std::uint32_t>(*bits))};
}

std::string encode_role(const sdk::CustomRole& role) {
    return sdk::KeyWriter().integer(role.permissions.bits()).text(role.key).key();
}

sdk::Result<std::optional<sdk::CustomRole>> RoleLookup::find(std::size_t level,
                                                             std::string_view folded_key) {
    using Found = std::optional<sdk::CustomRole>;
    if (const sdk::BuiltInRole* role = sdk::find_built_in_role(folded_key))
        return Found(sdk::CustomRole{std::string(role->key), role->permissions});
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const Known& entry) {
        return entry.level == level && entry.folded_key == folded_key;
    });
    if (known != known_.end()) return known->role;
    Found found;
    for (std::size_t i = level; i < chain_.size() && !found; ++i) {
        if (!chain_.is_above(i, level)) continue;
        auto role = defined_role(reader_, chain_[i], folded_key);
        if (!role) return role.error();
        found = *std::move(role);
    }
    known_.push_back({level, std::string(folded_key), found});
    return found;
}

}  // namespace stele::kernel::authority
