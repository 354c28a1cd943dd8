#pragma once

#include <sodium.h>

#include <string>
#include <string_view>

#include <stele/sdk/encoding.hpp>

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
        std::string digest(kSize, '\0');
        crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(digest.data()), kSize);
        return sdk::hex_text(digest);
    }

private:
    static constexpr std::size_t kSize = 32;
    crypto_generichash_state state_;
};

}  // namespace stele::kernel::storage
