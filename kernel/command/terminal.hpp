#pragma once

#include <string>

#include <stele/sdk/result.hpp>

namespace stele::kernel::command {

/// A new password: typed twice at the terminal without being shown, or one line of the standard
/// input. Never an argument, which others on the machine can read.
sdk::Result<std::string> read_password(const std::string& prompt);

/// A secret that somebody has, typed at the terminal without being shown. Where the standard input
/// is no terminal, `command.password_missing`.
sdk::Result<std::string> ask_secret(const std::string& prompt);

}  // namespace stele::kernel::command
