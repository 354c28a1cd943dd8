#pragma once

#include <cstdint>
#include <string_view>

#include <stele/sdk/context.hpp>

namespace stele::identity {

class LoginGuard;

/// What a new password must be, and what else who changes the own one must say.
struct PasswordRules {
    enum class AskPresent : std::uint8_t { never, by_cookie, always };

    std::size_t shortest = 8;  ///< in characters
    AskPresent ask_present = AskPresent::by_cookie;
    LoginGuard* guard = nullptr;  ///< of whoever guesses the present one

    /// A violation of `password` when it is too short.
    sdk::Result<void> check_new(std::string_view password) const;
    /// Where the caller changes the password of its own identity and has to tell the present one,
    /// whether it is right; `given` is empty when it was not told. Computes long.
    sdk::Result<void> check_present(sdk::Context& context, const sdk::Document& identity,
                                    std::string_view given) const;
    /// The same for callers who want it looked at.
    sdk::Result<void> require_present(const sdk::Document& identity, std::string_view given) const;
};

}  // namespace stele::identity
