#pragma once

#include <stele/sdk/registrar.hpp>
#include <stele/sdk/services/invitations.hpp>

namespace stele::identity {

/// Finds or makes whom a mail address belongs to, and writes to the invited.
class InvitationDesk final : public sdk::Invitations {
public:
    /// `registrar` must outlive this object.
    explicit InvitationDesk(sdk::Registrar& registrar) : registrar_(registrar) {}

    sdk::Result<sdk::Principal> make_user(const sdk::Call& call, std::string_view domain,
                                          std::string_view address) override;
    sdk::Result<sdk::Json> announce(const sdk::Call& call, const sdk::Principal& invited,
                                    std::string_view title, std::string_view application) override;

private:
    sdk::Registrar& registrar_;
};

}  // namespace stele::identity
