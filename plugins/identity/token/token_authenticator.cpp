#include "token_authenticator.hpp"

#include <memory>
#include <utility>
#include <vector>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "row_access.hpp"
#include "session_epochs.hpp"
#include "token_request.hpp"

namespace stele::identity {

namespace {

constexpr std::size_t kDigestBytes = 32;
constexpr char kByCookie = 'c';

/// The same session for a request that has nothing but a cookie.
sdk::SessionPtr by_cookie(const sdk::Session& session) {
    auto copy = std::make_shared<sdk::Session>(session);
    copy->token_id = TokenReference{session.token_id, true}.encode();
    return copy;
}

}  // namespace

std::string TokenReference::encode() const {
    return is_by_cookie ? digest + kByCookie : digest;
}

TokenReference TokenReference::of(const sdk::Session& session) {
    const std::string& id = session.token_id;
    return {id.substr(0, kDigestBytes), id.size() > kDigestBytes};
}

const std::vector<sdk::CredentialPart>& token_parts() {
    using enum sdk::CredentialPart::Place;
    // The query's token first: a published driver repeats a request after a refresh with the new
    // token there and the old one still in the header.
    static const std::vector<sdk::CredentialPart> kParts{{parameter, "access_token"},
                                                         {authorization, "Bearer"},
                                                         {header, kTicketName},
                                                         {cookie, kTicketName, true}};
    return kParts;
}

std::string_view presented_token(const sdk::Credential& credential, std::string& decoded) {
    if (!credential.part) return {};
    using enum sdk::CredentialPart::Place;
    const bool is_ticket = credential.part->place == header || credential.part->place == cookie;
    if (!is_ticket) return credential.value;
    return sdk::percent_decode(credential.value, decoded) ? decoded : std::string_view();
}

sdk::Error invalid_token() {
    sdk::Error error =
        sdk::make_error(sdk::ErrorKind::unauthenticated, "identity.authentication_token_invalid",
                        "the access token is missing, unknown, expired or revoked");
    error.protocol_error = "invalid_token";
    return error;
}

TokenAuthenticator::TokenAuthenticator(sdk::Registrar& registrar, std::size_t cached_sessions)
    : registrar_(registrar),
      keys_(registrar.shared_key_space(kSessionSpace)),
      cache_(cached_sessions) {
    registrar.engine().observe(keys_.prefix(), [this](const sdk::CommitNotice& commit) {
        if (commit.is_everything) cache_.forget_everything();
        for (std::string_view key : commit.keys)
            observe(key);
    });
}

void TokenAuthenticator::observe(std::string_view key) {
    const auto parts = keys_.split(key);
    if (!parts) return;
    if (parts->tag == RowTag::access) cache_.forget_token(parts->rest);
    if (parts->tag == RowTag::principal || parts->tag == RowTag::client) {
        cache_.forget_subject(parts->rest);
    }
}

sdk::Result<sdk::SessionPtr> TokenAuthenticator::authenticate(const sdk::Credential& credential) {
    std::string decoded;
    const std::string_view token = presented_token(credential, decoded);
    if (token.empty()) return invalid_token();
    const std::string digest = sdk::token_digest(token);
    const bool is_only_cookie = credential.part->is_added_by_browser;
    if (sdk::SessionPtr session = cache_.find(digest)) {
        if (session->expires_at_ms <= sdk::now_ms()) return invalid_token();
        return is_only_cookie ? by_cookie(*session) : session;
    }
    auto session = load(digest);
    return session && is_only_cookie ? by_cookie(**session) : session;
}

sdk::Result<sdk::SessionPtr> TokenAuthenticator::load(const std::string& digest) {
    const SessionCache::Load load = cache_.begin_load(digest);
    const auto reader = registrar_.engine().snapshot();
    auto access = read_row<AccessRow>(*reader, keys_.access(digest));
    if (!access) return access.error();
    if (!*access || (*access)->expires_at_ms <= sdk::now_ms()) return invalid_token();
    auto principal = present_user(*reader, keys_, (*access)->principal, (*access)->basis);
    if (!principal) return principal.error();
    auto client = read_row<ClientRow>(*reader, keys_.client((*access)->client));
    if (!client) return client.error();
    if (!*principal || !*client || !(*client)->enabled) return invalid_token();
    auto platform = registrar_.find_platform((*access)->platform);
    if (!platform) {
        // A platform may be removed while tokens for it are about.
        const bool is_gone = sdk::is_missing(platform.error());
        return is_gone ? invalid_token() : platform.error();
    }

    auto session = std::make_shared<sdk::Session>();
    session->platform = *std::move(platform);
    session->principal = std::move((*principal)->principal);
    for (const Actor& actor : (*access)->basis.actors)
        session->principal.actors.push_back(actor.principal);
    session->client_key = std::move((*client)->key);
    session->token_id = digest;
    session->expires_at_ms = (*access)->expires_at_ms;
    const sdk::SessionPtr shared = std::move(session);
    std::vector<sdk::RecordKey> subjects{(*access)->principal, (*access)->client};
    subjects.insert(subjects.end(), shared->principal.actors.begin(),
                    shared->principal.actors.end());
    cache_.insert(load, digest, {shared, std::move(subjects)});
    return shared;
}

}  // namespace stele::identity
