#include <stele/sdk/seal.hpp>

#include <array>
#include <charconv>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>
#include <semaphore>
#include <stdexcept>

#include <sodium.h>

#include <stele/sdk/encoding.hpp>

#include "sodium.hpp"

namespace stele::sdk {

namespace {

constexpr unsigned long long kPasses = 2;
constexpr std::size_t kMemory = 19 * 1024 * 1024;

// Hashes of other origin may ask for more, but not for so much that a login becomes an attack.
constexpr std::uint64_t kMaxMemoryKib = 256 * 1024;
constexpr std::uint64_t kMaxPasses = 16;

std::counting_semaphore<2> hash_places{2};
std::mutex key_place;

std::optional<std::uint64_t> hash_parameter(std::string_view hash, std::string_view name) {
    const std::size_t at = hash.find(name);
    if (at == std::string_view::npos) return std::nullopt;
    std::uint64_t value = 0;
    const char* begin = hash.data() + at + name.size();
    if (std::from_chars(begin, hash.data() + hash.size(), value).ec != std::errc{}) {
        return std::nullopt;
    }
    return value;
}

bool is_affordable(std::string_view hash) {
    const auto memory = hash_parameter(hash, "$m=");
    const auto passes = hash_parameter(hash, ",t=");
    return memory && passes && *memory <= kMaxMemoryKib && *passes <= kMaxPasses;
}

std::string random_bytes(std::size_t size) {
    detail::require_sodium();
    std::string bytes(size, '\0');
    randombytes_buf(bytes.data(), bytes.size());
    return bytes;
}

const unsigned char* unsigned_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

using ShortHash = std::array<unsigned char, crypto_shorthash_siphashx24_BYTES>;

/// Tells texts apart inside this process, by a key that nobody knows (SipHash-2-4, 128 bits): at a
/// fraction of what a digest costs, and without keeping the text.
ShortHash short_hash(std::string_view text) {
    static const std::string key = random_bytes(crypto_shorthash_siphashx24_KEYBYTES);
    ShortHash hash{};
    crypto_shorthash_siphashx24(hash.data(), unsigned_bytes(text), text.size(),
                                unsigned_bytes(key));
    return hash;
}

}  // namespace

namespace detail {

void require_sodium() {
    static const bool is_ready = sodium_init() >= 0;
    if (!is_ready) throw std::runtime_error("libsodium finds no source of random bytes");
}

HashPlace::HashPlace() {
    hash_places.acquire();
}
HashPlace::~HashPlace() {
    hash_places.release();
}

KeyPlace::KeyPlace() : alone_(key_place) {}

}  // namespace detail

std::string hash_password(std::string_view password) {
    detail::require_sodium();
    const detail::HashPlace place;
    std::array<char, crypto_pwhash_STRBYTES> hash{};
    if (crypto_pwhash_str(hash.data(), password.data(), password.size(), kPasses, kMemory) != 0) {
        throw std::bad_alloc();
    }
    return hash.data();
}

bool fits_password(std::string_view password, std::string_view hash) {
    detail::require_sodium();
    if (hash.size() >= crypto_pwhash_STRBYTES || !is_affordable(hash)) return false;
    const detail::HashPlace place;
    const std::string terminated(hash);
    return crypto_pwhash_str_verify(terminated.c_str(), password.data(), password.size()) == 0;
}

std::string random_hex(std::size_t size) {
    return hex_text(random_bytes(size));
}

std::string random_token(std::size_t size) {
    const std::string bytes = random_bytes(size);
    constexpr int kVariant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    std::string text(sodium_base64_encoded_len(size, kVariant), '\0');
    sodium_bin2base64(text.data(), text.size(), unsigned_bytes(bytes), bytes.size(), kVariant);
    text.pop_back();
    return text;
}

bool equals_in_constant_time(std::string_view a, std::string_view b) {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string token_digest(std::string_view token) {
    // Most requests of a thread bear the token that it met last, and nothing else of them costs as
    // much as its digest.
    thread_local ShortHash last_token{};
    thread_local std::string last_digest;
    const ShortHash hash = short_hash(token);
    if (hash == last_token && !last_digest.empty()) return last_digest;
    std::string digest(32, '\0');
    crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(),
                       unsigned_bytes(token), token.size(), nullptr, 0);
    last_token = hash;
    last_digest = digest;
    return digest;
}

std::string sha256(std::string_view bytes) {
    detail::require_sodium();
    std::string digest(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256(reinterpret_cast<unsigned char*>(digest.data()), unsigned_bytes(bytes),
                       bytes.size());
    return digest;
}

struct Sha256::State {
    crypto_hash_sha256_state hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
    detail::require_sodium();
    crypto_hash_sha256_init(&state_->hash);
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::string_view bytes) {
    crypto_hash_sha256_update(&state_->hash, unsigned_bytes(bytes), bytes.size());
}

std::string Sha256::finish() {
    std::string digest(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256_final(&state_->hash, reinterpret_cast<unsigned char*>(digest.data()));
    return digest;
}

}  // namespace stele::sdk
