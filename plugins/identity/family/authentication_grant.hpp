#pragma once

#include <stele/sdk/resource.hpp>

namespace stele::identity {

inline constexpr char kGrantType[] = "authenticationGrant";

/// A second key and secret that stand for a user. Whoever makes or changes one for somebody else
/// needs IMPERSONATE on that user.
class AuthenticationGrant final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override;
    sdk::Result<void> complete_secrets(sdk::Context& context, const sdk::Document& record,
                                       sdk::Json& secrets) override;
    sdk::Result<bool> restore_secrets(sdk::Context& context, const sdk::Document& record,
                                      const sdk::Json& secrets) override;
};

/// The form in which a grant's record names its principal.
std::string principal_form(const sdk::Json& grant);

/// Whether the grant was made for this very record, not for an earlier one of the same id.
bool stands_for(const sdk::Document& grant, const sdk::RecordKey& principal);

}  // namespace stele::identity
