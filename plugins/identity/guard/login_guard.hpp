#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/context.hpp>

#include "failure_table.hpp"

namespace stele::sdk {
class Call;
class Callers;
class Registrar;
}  // namespace stele::sdk

namespace stele::identity {

/// How often passwords may be tried (docs/decisions/0061-who-waits-after-failed-logins.md).
struct GuessRules {
    /// Failures that one address has free with one account; 0: nobody waits.
    std::uint32_t free = 5;
    std::int64_t longest_ms = 900'000;
};

/// Makes those wait who try passwords: an address that fails at an account, an account at which
/// strangers fail from wherever, an address that fails at many accounts. Whoever logged in from an
/// address before waits there for the failures of that address at the account only. Any thread.
class LoginGuard {
public:
    LoginGuard(sdk::Registrar& registrar, GuessRules rules);

    /// Runs `check` for a login as `username`; `limited` when it has to wait.
    sdk::Result<sdk::Principal> log_in(sdk::Context& context, const sdk::Call& call,
                                       std::string_view username,
                                       const std::function<sdk::Result<sdk::Principal>()>& check);

    /// Runs `check`, which compares a password with that of the account of somebody who is in
    /// already.
    sdk::Result<void> check_again(const sdk::RecordKey& identity,
                                  const std::function<sdk::Result<void>()>& check);

private:
    struct Subjects {
        std::string pair;
        std::string account;
        std::string address;
        bool is_known = false;
    };
    sdk::Result<Subjects> subjects_of(sdk::Context& context, std::string_view username,
                                      const std::string& address) const;
    sdk::Result<void> take(const Subjects& subjects);
    void give_back(const Subjects& subjects);
    void fail(const Subjects& subjects);

    const sdk::Callers* const callers_;  ///< null in tests
    const GuessRules rules_;
    FailureTable pairs_;
    FailureTable accounts_;
    FailureTable addresses_;
};

}  // namespace stele::identity
