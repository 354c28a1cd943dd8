#pragma once

#include <optional>

namespace stele::kernel::gifts {

/// What `stele/sdk/gifts.hpp` asks for, case by case.
enum class Check {
    team_of_platform,  ///< the reach of a team's role, on the platform
    team_of_store,     ///< the same in a domain, a directory, a web host, ...
    plain_grant,
    membership,
    departure,
    policy,
    credentials,
    store_into_stack,
    open_store,
};

/// Takes one check out of the server as long as it lives: what a programmer might forget. Programs
/// that are linked with this have their own `stele/sdk/gifts.hpp`, which asks the real one for
/// everything else.
class CheckTakenOut {
public:
    explicit CheckTakenOut(Check check) { taken_out() = check; }
    ~CheckTakenOut() { taken_out().reset(); }
    CheckTakenOut(const CheckTakenOut&) = delete;
    CheckTakenOut& operator=(const CheckTakenOut&) = delete;

    static std::optional<Check>& taken_out();
};

}  // namespace stele::kernel::gifts
