#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Seals texts that leave the server for whoever knows a passphrase: XChaCha20-Poly1305 with a
/// random nonce, under a key that Argon2id makes of the passphrase and a salt. Making one takes
/// some 0.1 s and 32 MiB: only on workers and in jobs; at most two at once, passwords included,
/// others wait. Any thread.
class PassphraseSeal {
public:
    static constexpr std::size_t kSaltSize = 16;
    /// In characters; shorter ones are guessed.
    static constexpr std::size_t kMinCharacters = 12;

    /// How the key is made; goes along in clear.
    struct Parameters {
        std::string salt;
        std::uint64_t memory_kib = 0;
        std::uint64_t passes = 0;
        /// What else Argon2id made, 32 bytes: tells the passphrase from every other one, so that
        /// no sealed text can be made that opens with several.
        std::string check = {};
    };

    /// With a salt of its own.
    static PassphraseSeal make(std::string_view passphrase);
    /// With parameters that came along, maybe from an attacker. `invalid`:
    /// `seal.parameters_unfit` for a salt or a check of another size, and for less or more work
    /// than 16 to 64 MiB and 2 to 16 passes; `seal.passphrase_wrong`.
    static Result<PassphraseSeal> make(std::string_view passphrase, Parameters parameters);
    ~PassphraseSeal();
    PassphraseSeal(PassphraseSeal&&) noexcept = default;
    PassphraseSeal& operator=(PassphraseSeal&&) noexcept = default;

    const Parameters& parameters() const { return parameters_; }

    /// Bytes. `context` says what and whose the text is: it opens in no other one.
    std::string seal(std::string_view text, std::string_view context) const;
    /// `invalid` (`seal.text_changed`) when the bytes, or the context, are not those of `seal`.
    [[nodiscard]] Result<std::string> open(std::string_view sealed, std::string_view context) const;

private:
    PassphraseSeal(std::string_view passphrase, Parameters parameters);

    Parameters parameters_;
    std::array<unsigned char, 32> key_{};
};

}  // namespace stele::sdk
