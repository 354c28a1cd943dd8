#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/resource.hpp>

namespace stele::platform {

/// Somebody who wants to become a user of an application, perhaps with a tenant of their own.
class Registration final : public sdk::Resource {
public:
    explicit Registration(sdk::Registrar& registrar) : registrar_(registrar) {}

    sdk::ResourceDescriptor describe() const override;
    /// A password comes with `confirm` only.
    sdk::Result<void> prepare(sdk::Change& change, sdk::Context& context) override;

    /// GET {C}/lookup?registrationId=
    sdk::Result<sdk::Reply> look_up(const sdk::Call& call);
    /// POST {I}/send/confirmation, {I}/send/welcome: by the application's email provider.
    sdk::Result<sdk::Reply> send_confirmation(const sdk::Call& call);
    sdk::Result<sdk::Reply> send_welcome(const sdk::Call& call);
    /// POST {I}/confirm?password=: makes the user and, with a registrar and a plan, the tenant.
    sdk::Result<sdk::Reply> confirm(const sdk::Call& call);

private:
    sdk::Result<sdk::Reply> send(const sdk::Call& call, const char* kind);

    sdk::Registrar& registrar_;
};

}  // namespace stele::platform
