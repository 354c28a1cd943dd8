#pragma once

#include <stele/sdk/json.hpp>
#include <stele/sdk/services/accounts.hpp>

namespace stele::kernel::instance {

/// What `stele user` asks for, whether of a server or of a store that nobody serves: `action` is
/// `list`, `add`, `set-password`, `disable` or `enable`; `name` (of a user in any form), `domain`,
/// `email`, `password` and `administrator` say more. Answers the users that it was about, an array
/// of what `account_of` reads.
sdk::Result<sdk::Json> run_account_command(sdk::Accounts& accounts, sdk::Context& context,
                                           const sdk::Json& request);

sdk::Account account_of(const sdk::Json& json);

}  // namespace stele::kernel::instance
