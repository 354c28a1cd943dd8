#include "password_rules.hpp"

#include <string>

#include <stele/sdk/text.hpp>

#include "login_guard.hpp"
#include "rights/credential_rights.hpp"
#include "token/identity_credentials.hpp"
#include "token/token_authenticator.hpp"

namespace stele::identity {

sdk::Result<void> PasswordRules::check_new(std::string_view password) const {
    if (sdk::character_count(password) >= shortest) return {};
    return sdk::make_error(
        {{"password", "identity.password_short",
          "password must have at least " + std::to_string(shortest) + " characters"}});
}

sdk::Result<void> PasswordRules::check_present(sdk::Context& context, const sdk::Document& identity,
                                               std::string_view given) const {
    const bool is_asked =
        ask_present == AskPresent::always || (ask_present == AskPresent::by_cookie &&
                                              TokenReference::of(context.session()).is_by_cookie);
    if (!is_asked || context.session().is_system) return {};
    auto own = is_own_identity(context, identity.key);
    if (!own) return own.error();
    return *own ? require_present(identity, given) : sdk::Result<void>();
}

sdk::Result<void> PasswordRules::require_present(const sdk::Document& identity,
                                                 std::string_view given) const {
    if (given.empty()) {
        return sdk::make_error({{"currentPassword", "identity.password_required",
                                 "currentPassword is needed to change the own password"}});
    }
    return guard->check_again(identity.key, [&]() -> sdk::Result<void> {
        if (fits_identity(&identity, given)) return {};
        return sdk::make_error(sdk::ErrorKind::invalid, "identity.password_wrong",
                               "the current password is wrong");
    });
}

}  // namespace stele::identity
