#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/sealer.hpp>

#include "kernel/config/settings.hpp"

namespace stele::kernel::instance {

/// A key that seals secrets, and the number by which sealed texts name it.
struct SecretKey {
    std::uint8_t id = 1;
    std::string bytes;
};
/// The newest, which seals, first.
using SecretKeys = std::vector<SecretKey>;

inline constexpr char kSecretKeyFile[] = "secrets.key";

/// Reads keys, one a line or separated by commas: 64 hexadecimal digits, before them a number from
/// 1 to 255 and a colon (without: number 1). `origin` is for the message.
sdk::Result<SecretKeys> parse_secret_keys(std::string_view text, const std::string& origin);
/// The same as the lines of a key file.
std::string secret_keys_text(const SecretKeys& keys);

/// The server's keys: from the setting `secrets.key`, else from the file `secrets.key` in the data
/// folder, which is made (readable by its owner only) when there is no store yet.
sdk::Result<SecretKeys> open_secret_keys(const config::Settings& settings,
                                         const std::filesystem::path& data);
sdk::Sealer sealer_of(const SecretKeys& keys);

/// Where the keys of a store are kept, for whoever changes them. `not_found`
/// (`instance.secret_key_missing`) when there are none.
struct KeptSecretKeys {
    SecretKeys keys;
    bool is_file = true;  ///< otherwise the setting `secrets.key`
};
sdk::Result<KeptSecretKeys> read_secret_keys(const config::Settings& settings,
                                             const std::filesystem::path& data);

/// Replaces the key file as a whole: a crash leaves the old one or the new one.
sdk::Result<void> write_secret_keys(const std::filesystem::path& data, const SecretKeys& keys);
/// A random key with a number that no other has; `conflict` when all numbers are in use.
sdk::Result<SecretKey> make_secret_key(const SecretKeys& others);

}  // namespace stele::kernel::instance
