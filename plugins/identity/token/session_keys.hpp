#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stele::sdk {
class Context;
}

namespace stele::identity {

/// Name of the shared key space that holds the rows of tokens and what they need.
inline constexpr char kSessionSpace[] = "identity.sessions";

/// One kind of row each; the first byte behind the prefix of the space.
enum class RowTag : char {
    access = 'a',
    refresh = 'r',
    access_of_refresh = 's',
    code = 'o',
    expiry = 'x',
    principal = 'p',
    client = 'c',
    client_key = 'k',
    identity_place = 'n',
    identity_user = 'i',
    known_address = 'd',
};

/// Makes the keys of the shared key space. Digests and record keys come last and raw, so that an
/// observer can read them off a key.
class SessionKeys {
public:
    explicit SessionKeys(std::string prefix) : prefix_(std::move(prefix)) {}
    static SessionKeys of(sdk::Context& context);

    const std::string& prefix() const { return prefix_; }

    std::string access(std::string_view digest) const;
    std::string refresh(std::string_view digest) const;
    /// Empty rows that name the access tokens of a refresh token.
    std::string access_of_refresh(std::string_view refresh_digest,
                                  std::string_view access_digest = {}) const;
    std::string code(std::string_view digest) const;
    /// Empty rows in order of expiry; `tag` says what ends.
    std::string expiry(std::int64_t expires_at_ms, RowTag tag, std::string_view digest) const;
    std::string expiry_before(std::int64_t now_ms) const;

    std::string principal(std::string_view record_key) const;
    std::string client(std::string_view record_key) const;
    std::string client_key(std::string_view key) const;

    /// Record key of an identity by its ids.
    std::string identity_place(std::uint64_t platform, std::string_view directory_id,
                               std::string_view identity_id) const;
    /// Prefix of those of a platform.
    std::string identity_places(std::uint64_t platform) const;
    /// The users of an identity, each with the id of its platform.
    std::string identity_user(std::string_view identity, std::string_view principal = {}) const;

    /// The addresses from which a user has logged in, by digest.
    std::string known_address(std::string_view principal, std::string_view digest = {}) const;

    /// What a key of this space is about: the bytes behind its tag.
    struct Parts {
        RowTag tag = RowTag::access;
        std::string_view rest;
    };
    std::optional<Parts> split(std::string_view key) const;
    /// Tag and digest of an expiry row's key.
    std::optional<Parts> split_expiry(std::string_view key) const;
    /// The principal of an `identity_user` key.
    std::optional<std::string> user_of(std::string_view key) const;

private:
    std::string key(RowTag tag, std::string_view rest) const;

    std::string prefix_;
};

}  // namespace stele::identity
