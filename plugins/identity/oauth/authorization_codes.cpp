#include "authorization_codes.hpp"

#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "token/oauth_error.hpp"
#include "token/row_access.hpp"
#include "token/session_epochs.hpp"
#include "token/session_keys.hpp"

namespace stele::identity {

namespace {

constexpr std::size_t kCodeBytes = 32;

sdk::Error unknown_code() {
    return invalid_grant("the authorization code is unknown, expired or another client's");
}

sdk::Error code_reused() {
    sdk::Error error =
        invalid_grant("the authorization code was used before; its tokens have ended");
    error.code = kCodeReused;
    return error;
}

/// Whether the claim names the address to which the code went. It may leave out one that the
/// request for the code left out.
bool fits_address(const CodeRow& row, const std::string& redirect_uri) {
    if (redirect_uri.empty()) return !row.is_uri_named;
    return redirect_uri == row.redirect_uri;
}

/// A verifier without a challenge is refused, too: somebody has taken the challenge away.
bool fits_challenge(const CodeRow& row, const std::string& verifier) {
    if (row.challenge.empty() || verifier.empty()) return row.challenge.empty() && verifier.empty();
    return sdk::equals_in_constant_time(row.is_challenge_hashed ? sdk::sha256(verifier) : verifier,
                                        row.challenge);
}

}  // namespace

sdk::Result<std::string> AuthorizationCodes::issue(sdk::Context& context,
                                                   const sdk::Document& client,
                                                   const sdk::Principal& user,
                                                   const CodeBinding& binding) {
    auto basis = present_basis(context, user.key);
    if (!basis) return basis.error();
    if (!*basis) return invalid_grant("the user is disabled or was removed");
    const SessionKeys keys = SessionKeys::of(context);
    const std::string code = sdk::random_token(kCodeBytes);
    const std::string digest = sdk::token_digest(code);
    CodeRow row;
    row.platform = context.platform().number;
    row.principal = user.key;
    row.client = client.key;
    row.expires_at_ms = sdk::now_ms() + 1000 * seconds_;
    row.redirect_uri = binding.redirect_uri;
    row.is_uri_named = binding.is_uri_named;
    row.scope = binding.scope;
    row.challenge = binding.challenge;
    row.is_challenge_hashed = binding.is_challenge_hashed;
    row.basis = **std::move(basis);
    context.transaction().put(keys.code(digest), row.encode());
    context.transaction().put(keys.expiry(row.expires_at_ms, RowTag::code, digest), {});
    return code;
}

sdk::Result<IssuedTokens> AuthorizationCodes::redeem(sdk::Context& context,
                                                     const sdk::Document& client,
                                                     const CodeClaim& claim) {
    const SessionKeys keys = SessionKeys::of(context);
    const std::string key = keys.code(sdk::token_digest(claim.code));
    auto found = read_row<CodeRow>(context.transaction(), key);
    if (!found) return found.error();
    if (!*found || (*found)->expires_at_ms <= sdk::now_ms() || (*found)->client != client.key) {
        return unknown_code();
    }
    CodeRow& row = **found;
    if (!row.refresh_digest.empty()) return code_reused();
    if (!fits_address(row, claim.redirect_uri)) {
        return invalid_grant("redirect_uri is not the one to which the code was sent");
    }
    if (!fits_challenge(row, claim.verifier)) {
        return invalid_grant("code_verifier does not fit the code_challenge");
    }
    auto user = present_user(context.transaction(), keys, row.principal, row.basis);
    if (!user) return user.error();
    if (!*user) return unknown_code();
    auto issued = issuer_.issue(context, client, (*user)->principal, row.scope);
    if (!issued) return issued;
    row.refresh_digest = sdk::token_digest(issued->refresh_token);
    context.transaction().put(key, row.encode());
    return issued;
}

sdk::Result<void> AuthorizationCodes::revoke(sdk::Context& context, std::string_view code) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<CodeRow>(context.transaction(), keys.code(sdk::token_digest(code)));
    if (!row) return row.error();
    if (!*row || (*row)->refresh_digest.empty()) return {};
    return issuer_.end_login(context, (*row)->refresh_digest);
}

}  // namespace stele::identity
