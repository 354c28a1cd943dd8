#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Argon2id hash of a password, with its parameters and salt in the text. About 20 ms and 19 MiB:
/// only on workers (`slow`). At most two run at once; others wait.
std::string hash_password(std::string_view password);

/// Whether the password fits a text of `hash_password`. As slow. A broken hash fits nothing.
bool fits_password(std::string_view password, std::string_view hash);

/// `size` random bytes, in hexadecimal (two characters a byte) or base64 for URLs without padding.
std::string random_hex(std::size_t size);
std::string random_token(std::size_t size);

/// Compares in time that depends on the lengths only.
bool equals_in_constant_time(std::string_view a, std::string_view b);

/// Keyless 32-byte hash (BLAKE2b) for looking a random token up without storing it.
std::string token_digest(std::string_view token);

/// SHA-256, 32 bytes, where a protocol prescribes it.
std::string sha256(std::string_view bytes);

/// The same of bytes that come piece by piece. One thread.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void add(std::string_view bytes);
    /// The 32 bytes. Once, at the end.
    std::string finish();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stele::sdk
