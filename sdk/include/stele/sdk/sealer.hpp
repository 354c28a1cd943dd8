#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Keeps secrets that are needed in clear later (mail passwords): XChaCha20-Poly1305 with a random
/// nonce. Every sealed text names its key with one byte, so that a new key can take over while
/// texts under older ones still open. Any thread once the keys are added.
class Sealer {
public:
    static constexpr std::size_t kKeySize = 32;

    /// `key` has exactly `kKeySize` bytes; anything else is a logic error.
    explicit Sealer(std::string_view key, std::uint8_t key_id = 1);
    ~Sealer();
    Sealer(Sealer&&) noexcept = default;
    Sealer& operator=(Sealer&&) noexcept = default;

    /// From now on `seal` uses this key. An id that is known already is a logic error.
    void add_key(std::string_view key, std::uint8_t key_id);

    std::string seal(std::string_view text) const;
    /// Whether `sealed` names another key than the one that `seal` uses now.
    bool is_outdated(std::string_view sealed) const;
    /// Tells the key that `seal` uses now from others, and nothing about it.
    std::string newest_key_digest() const;
    /// `internal` with code `seal.key_unknown` when the text was sealed with a key that is not
    /// here, `seal.broken` when the bytes are not what `seal` made.
    [[nodiscard]] Result<std::string> open(std::string_view sealed) const;

private:
    struct Key {
        std::uint8_t id = 0;
        std::array<unsigned char, kKeySize> bytes{};
    };
    const Key* find_key(std::uint8_t id) const;

    std::vector<Key> keys_;  // the newest last
};

}  // namespace stele::sdk
