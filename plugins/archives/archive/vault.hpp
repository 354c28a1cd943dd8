#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::archives {

inline constexpr char kVaultType[] = "vault";
/// Member of what lies in a vault.
inline constexpr char kVaultId[] = "vaultId";

/// A data store of archives (docs/specification/platform.md 13). It has no fields of its own.
class Vault final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    /// The primary vault cannot be removed: exports go there when nobody names another one.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
};

/// The vault `default`, which `primary` leads to, on every platform.
sdk::Result<void> install_vault(sdk::Context& context);

}  // namespace stele::archives
