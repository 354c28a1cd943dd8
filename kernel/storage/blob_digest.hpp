#pragma once

#include <sodium.h>

#include <string>
#include <string_view>

namespace stele::kernel::storage {

/// The name that bytes have as a blob (BLAKE2b, hexadecimal), made while they pass.
class BlobDigest {
public:
    BlobDigest() { crypto_generichash_init(&state_, nullptr, 0, kSize); }

    void add(std::string_view bytes) {
        crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(bytes.data()),
                                  bytes.size());
    }
    /// Once.
    std::string name() {
        unsigned char digest[kSize];
        crypto_generichash_final(&state_, digest, kSize);
        std::string text(2 * kSize + 1, '\0');
        sodium_bin2hex(text.data(), text.size(), digest, kSize);
        text.pop_back();
        return text;
    }

private:
    static constexpr std::size_t kSize = 32;
    crypto_generichash_state state_;
};

}  // namespace stele::kernel::storage
