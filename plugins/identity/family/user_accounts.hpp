#pragma once

#include <stele/sdk/services/accounts.hpp>

namespace stele::identity {

/// The users of all domains, for the operator's command line.
class UserAccounts final : public sdk::Accounts {
public:
    sdk::Result<std::vector<sdk::Account>> list(sdk::Context& context,
                                                std::string_view domain) override;
    sdk::Result<sdk::Account> add(sdk::Context& context, const sdk::NewAccount& account) override;
    sdk::Result<sdk::Account> set_password(sdk::Context& context, std::string_view form,
                                           const std::string& password) override;
    sdk::Result<sdk::Account> set_enabled(sdk::Context& context, std::string_view form,
                                          bool is_enabled) override;
};

}  // namespace stele::identity
