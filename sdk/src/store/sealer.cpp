#include <stele/sdk/sealer.hpp>

#include <algorithm>
#include <stdexcept>

#include <sodium.h>

#include <stele/sdk/encoding.hpp>

#include "sodium.hpp"

namespace stele::sdk {

namespace {

// Sealed bytes: key id, nonce, cipher text with its tag. The key id is authenticated, too.
constexpr std::size_t kIdSize = 1;
constexpr std::size_t kNonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagSize = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(Sealer::kKeySize == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);

unsigned char* unsigned_bytes(char* text) {
    return reinterpret_cast<unsigned char*>(text);
}
const unsigned char* unsigned_bytes(const char* text) {
    return reinterpret_cast<const unsigned char*>(text);
}

}  // namespace

Sealer::Sealer(std::string_view key, std::uint8_t key_id) {
    add_key(key, key_id);
}

Sealer::~Sealer() {
    for (Key& key : keys_)
        sodium_memzero(key.bytes.data(), key.bytes.size());
}

void Sealer::add_key(std::string_view key, std::uint8_t key_id) {
    if (key.size() != kKeySize) throw std::logic_error("a sealing key has 32 bytes");
    if (find_key(key_id) != nullptr) throw std::logic_error("a sealing key's id is taken");
    Key added{key_id, {}};
    std::copy(key.begin(), key.end(), added.bytes.begin());
    keys_.push_back(added);
    sodium_memzero(added.bytes.data(), added.bytes.size());
}

std::string Sealer::seal(std::string_view text) const {
    detail::require_sodium();
    const Key& key = keys_.back();
    std::string sealed(kIdSize + kNonceSize + text.size() + kTagSize, '\0');
    unsigned char* id = unsigned_bytes(sealed.data());
    unsigned char* nonce = id + kIdSize;
    *id = key.id;
    randombytes_buf(nonce, kNonceSize);
    crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + kNonceSize, nullptr,
                                               unsigned_bytes(text.data()), text.size(), id,
                                               kIdSize, nullptr, nonce, key.bytes.data());
    return sealed;
}

bool Sealer::is_outdated(std::string_view sealed) const {
    return !sealed.empty() && static_cast<std::uint8_t>(sealed.front()) != keys_.back().id;
}

std::string Sealer::newest_key_digest() const {
    detail::require_sodium();
    constexpr std::string_view kPurpose = "stele sealing key";
    const Key& key = keys_.back();
    std::string named(1, static_cast<char>(key.id));
    named += kPurpose;
    std::string digest(crypto_generichash_BYTES_MIN, '\0');
    crypto_generichash(unsigned_bytes(digest.data()), digest.size(), unsigned_bytes(named.data()),
                       named.size(), key.bytes.data(), key.bytes.size());
    return hex_text(digest);
}

Result<std::string> Sealer::open(std::string_view sealed) const {
    constexpr std::size_t kOverhead = kIdSize + kNonceSize + kTagSize;
    if (sealed.size() < kOverhead) {
        return make_error(ErrorKind::internal, "seal.broken", "A stored secret cannot be read.",
                          "sealed text is too short");
    }
    detail::require_sodium();
    const unsigned char* id = unsigned_bytes(sealed.data());
    const Key* key = find_key(*id);
    if (key == nullptr) {
        return make_error(ErrorKind::internal, "seal.key_unknown",
                          "A stored secret cannot be read.",
                          "sealed with key " + std::to_string(*id) + ", which is not configured");
    }
    const unsigned char* nonce = id + kIdSize;
    std::string text(sealed.size() - kOverhead, '\0');
    const int failure = crypto_aead_xchacha20poly1305_ietf_decrypt(
        unsigned_bytes(text.data()), nullptr, nullptr, nonce + kNonceSize,
        sealed.size() - kIdSize - kNonceSize, id, kIdSize, nonce, key->bytes.data());
    if (failure != 0) {
        return make_error(ErrorKind::internal, "seal.broken", "A stored secret cannot be read.",
                          "sealed text was altered, or the key is another one");
    }
    return text;
}

const Sealer::Key* Sealer::find_key(std::uint8_t id) const {
    const auto found =
        std::find_if(keys_.begin(), keys_.end(), [id](const Key& key) { return key.id == id; });
    return found == keys_.end() ? nullptr : &*found;
}

}  // namespace stele::sdk
