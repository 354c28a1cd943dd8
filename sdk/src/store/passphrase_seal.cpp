#include <stele/sdk/passphrase_seal.hpp>

#include <algorithm>
#include <new>

#include <sodium.h>

#include <stele/sdk/seal.hpp>

#include "sodium.hpp"

namespace stele::sdk {

namespace {

constexpr std::uint64_t kSealMemoryKib = std::uint64_t{32} * 1024;
constexpr std::uint64_t kSealPasses = 4;

// What others may ask for: enough to slow guessing down, not so much that an import is an attack.
constexpr std::uint64_t kLeastMemoryKib = std::uint64_t{16} * 1024;
constexpr std::uint64_t kMostMemoryKib = std::uint64_t{64} * 1024;
constexpr std::uint64_t kLeastPasses = 2;
constexpr std::uint64_t kMostPasses = 16;

constexpr std::size_t kCheckSize = 32;
constexpr std::size_t kSealNonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kSealTagSize = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(PassphraseSeal::kSaltSize == crypto_pwhash_SALTBYTES);

unsigned char* sealed_bytes(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}
const unsigned char* sealed_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

PassphraseSeal::PassphraseSeal(std::string_view passphrase, Parameters parameters)
    : parameters_(std::move(parameters)) {
    static_assert(sizeof(key_) == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
    detail::require_sodium();
    std::array<unsigned char, 2 * kCheckSize> made{};
    {
        const detail::KeyPlace place;
        const int failure =
            crypto_pwhash(made.data(), made.size(), passphrase.data(), passphrase.size(),
                          sealed_bytes(std::string_view(parameters_.salt)), parameters_.passes,
                          parameters_.memory_kib * 1024, crypto_pwhash_ALG_ARGON2ID13);
        if (failure != 0) throw std::bad_alloc();
    }
    std::copy_n(made.begin(), key_.size(), key_.begin());
    parameters_.check.assign(made.begin() + kCheckSize, made.end());
    sodium_memzero(made.data(), made.size());
}

PassphraseSeal::~PassphraseSeal() {
    sodium_memzero(key_.data(), key_.size());
}

PassphraseSeal PassphraseSeal::make(std::string_view passphrase) {
    detail::require_sodium();
    Parameters parameters{std::string(kSaltSize, '\0'), kSealMemoryKib, kSealPasses};
    randombytes_buf(parameters.salt.data(), parameters.salt.size());
    return {passphrase, std::move(parameters)};
}

Result<PassphraseSeal> PassphraseSeal::make(std::string_view passphrase, Parameters parameters) {
    const bool is_fit =
        parameters.salt.size() == kSaltSize && parameters.check.size() == kCheckSize &&
        parameters.memory_kib >= kLeastMemoryKib && parameters.memory_kib <= kMostMemoryKib &&
        parameters.passes >= kLeastPasses && parameters.passes <= kMostPasses;
    if (!is_fit) {
        return make_error(ErrorKind::invalid, "seal.parameters_unfit",
                          "a key is made with a salt of 16 bytes, a check of 32, 16 to 64 MiB and "
                          "2 to 16 passes");
    }
    const std::string check = parameters.check;
    PassphraseSeal seal(passphrase, std::move(parameters));
    if (equals_in_constant_time(seal.parameters_.check, check)) return seal;
    return make_error(ErrorKind::invalid, "seal.passphrase_wrong",
                      "this was sealed with another passphrase");
}

std::string PassphraseSeal::seal(std::string_view text, std::string_view context) const {
    std::string sealed(kSealNonceSize + text.size() + kSealTagSize, '\0');
    unsigned char* const nonce = sealed_bytes(sealed);
    randombytes_buf(nonce, kSealNonceSize);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + kSealNonceSize, nullptr, sealed_bytes(text),
                                               text.size(), sealed_bytes(context), context.size(),
                                               nullptr, nonce, key_.data());
    return sealed;
}

Result<std::string> PassphraseSeal::open(std::string_view sealed, std::string_view context) const {
    const auto changed = [] {
        return make_error(ErrorKind::invalid, "seal.text_changed",
                          "what was sealed has been changed since, or belongs somewhere else");
    };
    if (sealed.size() < kSealNonceSize + kSealTagSize) return changed();
    const unsigned char* const nonce = sealed_bytes(sealed);
    std::string text(sealed.size() - kSealNonceSize - kSealTagSize, '\0');
    const int failure = crypto_aead_xchacha20poly1305_ietf_decrypt(
        sealed_bytes(text), nullptr, nullptr, nonce + kSealNonceSize,
        sealed.size() - kSealNonceSize, sealed_bytes(context), context.size(), nonce, key_.data());
    if (failure != 0) return changed();
    return text;
}

}  // namespace stele::sdk
