#include "session_keys.hpp"

#include <algorithm>

#include <stele/sdk/context.hpp>
#include <stele/sdk/key_tuple.hpp>

namespace stele::identity {

SessionKeys SessionKeys::of(sdk::Context& context) {
    return SessionKeys(context.shared_key_space(kSessionSpace));
}

std::string SessionKeys::key(RowTag tag, std::string_view rest) const {
    return sdk::KeyWriter(prefix_).tag(static_cast<char>(tag)).raw(rest).key();
}

std::string SessionKeys::access(std::string_view digest) const {
    return key(RowTag::access, digest);
}

std::string SessionKeys::refresh(std::string_view digest) const {
    return key(RowTag::refresh, digest);
}

std::string SessionKeys::access_of_refresh(std::string_view refresh_digest,
                                           std::string_view access_digest) const {
    return key(RowTag::access_of_refresh, refresh_digest) + std::string(access_digest);
}

std::string SessionKeys::code(std::string_view digest) const {
    return key(RowTag::code, digest);
}

std::string SessionKeys::expiry(std::int64_t expires_at_ms, RowTag tag,
                                std::string_view digest) const {
    return sdk::KeyWriter(expiry_before(expires_at_ms))
        .tag(static_cast<char>(tag))
        .raw(digest)
        .key();
}

std::string SessionKeys::expiry_before(std::int64_t now_ms) const {
    return sdk::KeyWriter(key(RowTag::expiry, {}))
        .integer(static_cast<std::uint64_t>(std::max<std::int64_t>(now_ms, 0)))
        .key();
}

std::string SessionKeys::principal(std::string_view record_key) const {
    return key(RowTag::principal, record_key);
}

std::string SessionKeys::client(std::string_view record_key) const {
    return key(RowTag::client, record_key);
}

std::string SessionKeys::client_key(std::string_view client_key) const {
    return key(RowTag::client_key, client_key);
}

std::string SessionKeys::identity_place(std::uint64_t platform, std::string_view directory_id,
                                        std::string_view identity_id) const {
    return sdk::KeyWriter(key(RowTag::identity_place, {}))
        .integer(platform)
        .text(directory_id)
        .text(identity_id)
        .key();
}

std::string SessionKeys::identity_places(std::uint64_t platform) const {
    return sdk::KeyWriter(key(RowTag::identity_place, {})).integer(platform).key();
}

std::string SessionKeys::identity_user(std::string_view identity,
                                       std::string_view principal) const {
    return sdk::KeyWriter(key(RowTag::identity_user, {})).text(identity).raw(principal).key();
}

std::string SessionKeys::known_address(std::string_view principal, std::string_view digest) const {
    return key(RowTag::known_address, principal) + std::string(digest);
}

std::optional<SessionKeys::Parts> SessionKeys::split(std::string_view key) const {
    if (key.size() <= prefix_.size() || key.substr(0, prefix_.size()) != prefix_) {
        return std::nullopt;
    }
    return Parts{static_cast<RowTag>(key[prefix_.size()]), key.substr(prefix_.size() + 1)};
}

std::optional<SessionKeys::Parts> SessionKeys::split_expiry(std::string_view key) const {
    const auto parts = split(key);
    if (!parts || parts->tag != RowTag::expiry) return std::nullopt;
    sdk::KeyReader reader(parts->rest);
    if (!reader.integer()) return std::nullopt;
    const auto tag = reader.tag();
    if (!tag) return std::nullopt;
    return Parts{static_cast<RowTag>(*tag), reader.rest()};
}

std::optional<std::string> SessionKeys::user_of(std::string_view key) const {
    const auto parts = split(key);
    if (!parts || parts->tag != RowTag::identity_user) return std::nullopt;
    sdk::KeyReader reader(parts->rest);
    if (!reader.text()) return std::nullopt;
    return std::string(reader.rest());
}

}  // namespace stele::identity
