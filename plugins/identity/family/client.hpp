#pragma once

#include <string_view>

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>

namespace stele::identity {

inline constexpr char kClientType[] = "client";

/// Programs that may ask for tokens. Key and secret are made by the server; the secret is only
/// shown to holders of MODIFY_CREDENTIALS.
class ClientFamily final : public sdk::Resource {
public:
    /// The registrar outlives it.
    explicit ClientFamily(sdk::Registrar& registrar) : registrar_(registrar) {}

    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    void validate(const sdk::Change& change, sdk::Context& context,
                  sdk::Violations& violations) override;
    sdk::Result<void> stored(const sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;
    sdk::Result<void> complete_secrets(sdk::Context& context, const sdk::Document& record,
                                       sdk::Json& secrets) override;
    sdk::Result<bool> restore_secrets(sdk::Context& context, const sdk::Document& record,
                                      const sdk::Json& secrets) override;

private:
    sdk::Registrar& registrar_;
};

/// Gives a client another key and secret; for installation.
sdk::Result<void> rename_client(sdk::Context& context, const sdk::Document& client,
                                std::string_view key, std::string_view secret);

}  // namespace stele::identity
