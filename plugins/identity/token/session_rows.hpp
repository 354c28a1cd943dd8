#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/principal.hpp>

namespace stele::identity {

/// Which sessions of a user count: those made at the epoch that the user's row has now. Whatever
/// ends all sessions of a user begins another epoch, and so nothing has to be looked for.
using SessionEpoch = std::uint64_t;

/// Somebody who acts through a token of another user (impersonation).
struct Actor {
    sdk::RecordKey principal;
    SessionEpoch epoch = 0;
};

/// More do not act through one another.
inline constexpr std::size_t kMaxActors = 16;

/// On what a token, or a code for one, rests beside its own end.
struct SessionBasis {
    SessionEpoch epoch = 0;
    /// Outermost first; they must be there as well.
    std::vector<Actor> actors;
};

/// An access token, found by its digest.
struct AccessRow {
    std::uint64_t platform = 0;
    sdk::RecordKey principal;
    sdk::RecordKey client;
    std::int64_t expires_at_ms = 0;
    /// Digest of the refresh token of the same login.
    std::string refresh_digest;
    /// The refresh token, readable only with the access token (`mask_with_token`).
    std::string masked_refresh;
    SessionBasis basis;

    std::string encode() const;
    static std::optional<AccessRow> decode(std::string_view bytes);
};

/// A refresh token, found by its digest.
struct RefreshRow {
    std::uint64_t platform = 0;
    sdk::RecordKey principal;
    sdk::RecordKey client;
    std::int64_t expires_at_ms = 0;
    std::string scope;
    SessionBasis basis;

    std::string encode() const;
    static std::optional<RefreshRow> decode(std::string_view bytes);
};

/// An authorization code, found by its digest.
struct CodeRow {
    std::uint64_t platform = 0;
    sdk::RecordKey principal;
    sdk::RecordKey client;
    std::int64_t expires_at_ms = 0;
    std::string redirect_uri;
    bool is_uri_named = true;
    std::string scope;
    /// PKCE: the verifier itself or its SHA-256; empty: none was given.
    std::string challenge;
    bool is_challenge_hashed = false;
    /// Digest of the refresh token that it was changed for; empty: not yet.
    std::string refresh_digest;
    SessionBasis basis;

    std::string encode() const;
    static std::optional<CodeRow> decode(std::string_view bytes);
};

/// A copy of a principal's record, as requests need it: one look-up instead of a parsed document.
struct PrincipalRow {
    sdk::Principal principal;
    /// Key of the record that holds the password; empty for groups.
    sdk::RecordKey identity;
    SessionEpoch epoch = 0;

    std::string encode() const;
    static std::optional<PrincipalRow> decode(std::string_view bytes);
};

/// A copy of what matters of a client for the tokens that it was given.
struct ClientRow {
    std::string key;
    bool enabled = true;

    std::string encode() const;
    static std::optional<ClientRow> decode(std::string_view bytes);
};

/// Where a client key leads, before any platform is known.
struct ClientPlace {
    std::uint64_t platform = 0;
    sdk::RecordKey client;

    std::string encode() const;
    static std::optional<ClientPlace> decode(std::string_view bytes);
};

/// Hides `text` under a pad made of a random token, or uncovers it again: whoever has the token in
/// clear can read it, the store alone cannot. A token must mask one text only.
std::string mask_with_token(std::string_view text, std::string_view token);

}  // namespace stele::identity
