#include "vault.hpp"

#include <nlohmann/json.hpp>

namespace stele::archives {

namespace {

constexpr char kDefault[] = "default";
constexpr char kPrimary[] = "primary";

}  // namespace

sdk::ResourceDescriptor Vault::describe() const {
    return {.type = kVaultType,
            .path = "vaults",
            .placeholder = kVaultId,
            .capabilities = {.data_store = true},
            .title = "vaults"};
}

sdk::Result<void> Vault::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    auto primary = context.documents().read(change.collection, kPrimary);
    if (!primary) return is_missing(primary.error()) ? sdk::Result<void>() : primary.error();
    if (primary->id != change.before->id) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "store.primary_required",
                           "the primary vault cannot be removed");
}

sdk::Result<void> install_vault(sdk::Context& context) {
    const sdk::CollectionName vaults{kVaultType, ""};
    auto primary = context.documents().read(vaults, kPrimary);
    if (primary) return {};
    if (!is_missing(primary.error())) return primary.error();
    auto vault = context.documents().read(vaults, kDefault);
    if (!vault && is_missing(vault.error()))
        vault =
            context.documents().create(vaults, {{"_doc", kDefault}, {"title", "Primary vault"}});
    if (!vault) return vault.error();
    return context.documents().set_alias(vaults, kPrimary, vault->id);
}

}  // namespace stele::archives
