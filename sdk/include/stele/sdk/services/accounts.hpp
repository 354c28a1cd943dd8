#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// A user who can log in, as the operator of the server sees it.
struct Account {
    std::string id;
    std::string name;
    std::string domain_id;
    std::string email;
    bool is_enabled = true;
    bool has_password = false;
};

struct NewAccount {
    std::string name;
    /// Id or name of the domain; empty: the primary one.
    std::string domain;
    std::string email;
    std::string password;
    /// Owns the platform.
    bool is_administrator = false;
};

/// The users of a platform for `stele user`, in a context of the server itself. Published by the
/// plugin that keeps users. Passwords take time to hash: not on I/O threads.
///
/// `form` names a user as callers do (`PrincipalDirectory::find`); `not_found` when there is none.
class Accounts {
public:
    virtual ~Accounts();

    /// Sorted by domain, then by name; of one domain only when one is named.
    virtual Result<std::vector<Account>> list(Context& context, std::string_view domain) = 0;
    virtual Result<Account> add(Context& context, const NewAccount& account) = 0;
    virtual Result<Account> set_password(Context& context, std::string_view form,
                                         const std::string& password) = 0;
    /// A disabled user's tokens no longer hold. `conflict` for the last one who owns the platform.
    virtual Result<Account> set_enabled(Context& context, std::string_view form,
                                        bool is_enabled) = 0;
};

}  // namespace stele::sdk
