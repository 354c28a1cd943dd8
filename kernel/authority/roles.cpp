#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"
#include "kernel/authority/role_lookup.hpp"

namespace stele::kernel::authority {

namespace {

// `all` in a revoke means every role, so no role may be called that.
constexpr std::string_view kAllRoles = "all";

sdk::Result<void> check_role_key(std::string_view role_key, std::string_view folded) {
    if (role_key.empty()) {
        return sdk::make_error(sdk::ErrorKind::invalid, "authority.role_key_missing",
                               "A role needs a key.");
    }
    if (folded == kAllRoles || sdk::find_built_in_role(folded)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "authority.role_reserved",
                               "The role key '" + std::string(role_key) + "' is reserved.");
    }
    return {};
}

}  // namespace

sdk::Result<void> AuthorityStore::define_role(sdk::Transaction& transaction,
                                              const sdk::RecordKey& container,
                                              const sdk::CustomRole& role) {
    const auto platform = platform_of(container);
    if (!platform) return platform.error();
    const std::string folded = fold_role_key(role.key);
    if (auto checked = check_role_key(role.key, folded); !checked) return checked;
    transaction.put(role_definition_key(*platform, container, folded), encode_role(role));
    // A new definition may hold less than the one that it replaces or hides.
    withdraw_decisions(transaction, *platform);
    return {};
}

sdk::Result<void> AuthorityStore::remove_role(sdk::Transaction& transaction,
                                              const sdk::RecordKey& container,
                                              std::string_view role_key) {
    const auto platform = platform_of(container);
    if (!platform) return platform.error();
    transaction.remove(role_definition_key(*platform, container, fold_role_key(role_key)));
    withdraw_decisions(transaction, *platform);
    return {};
}

sdk::Result<std::vector<sdk::CustomRole>> AuthorityStore::roles(const sdk::Reader& reader,
                                                                const sdk::RecordKey& container) {
    const auto platform = platform_of(container);
    if (!platform) return platform.error();
    std::vector<sdk::CustomRole> found;
    const auto visited =
        each_entry(reader, entries_prefix(*platform, kRoleTag, container),
                   [&found](std::string_view, std::string_view value) -> sdk::Result<void> {
                       auto role = decode_role(value);
                       if (!role) return role.error();
                       found.push_back(*std::move(role));
                       return {};
                   });
    if (!visited) return visited.error();
    return found;
}

}  // namespace stele::kernel::authority
