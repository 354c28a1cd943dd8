#pragma once

#include <functional>
#include <string>

#include <stele/sdk/result.hpp>

namespace stele::kernel::client {

/// Who asks a server: a user, and the client by which it logs in (RFC 6749, 4.3).
struct Login {
    std::string user = {};
    std::string password = {};
    std::string client_key = {};
    std::string client_secret = {};
};

/// What the arguments of a command say of a login. Secrets are no arguments, for others on the
/// machine see these.
struct LoginSources {
    std::string user = {};
    std::string password_file;
    std::string key;  ///< of the client
    std::string secret_file;
};

/// Asks somebody at a terminal for a secret; an error where nobody is there.
using AskSecret = std::function<sdk::Result<std::string>(const std::string& prompt)>;

/// Each secret from the first place that has it: its file, of which the first line counts;
/// `STELE_PASSWORD` and `STELE_CLIENT_SECRET` (the key: `STELE_CLIENT_KEY`), which are then removed
/// from the environment; `ask`. Failures: `client.login_incomplete`, `command.file_unreadable`, and
/// those of `ask`.
sdk::Result<Login> read_login(const LoginSources& sources, const AskSecret& ask);

/// The passphrase of a transfer: the first line of a file, else `STELE_PASSPHRASE`, which is
/// removed from the environment; empty where neither is given. Fails as `read_login` does.
sdk::Result<std::string> read_passphrase(const std::string& file);

}  // namespace stele::kernel::client
