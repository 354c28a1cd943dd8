#include "token_issuer.hpp"

#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/log.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/registrar.hpp>
#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

#include "oauth_error.hpp"
#include "row_access.hpp"
#include "session_epochs.hpp"
#include "session_keys.hpp"

namespace stele::identity {

namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::int64_t kSweepEveryMs = 10'000;
constexpr std::size_t kSweptAtOnce = 500;

std::int64_t seconds_of(const sdk::Document& client, const char* member, std::int64_t fallback) {
    const auto seconds = sdk::integer_member(client.fields, member);
    return seconds && *seconds > 0 ? *seconds : fallback;
}

sdk::Error unknown_refresh_token() {
    return invalid_grant("the refresh token is unknown, expired or revoked");
}

}  // namespace

std::string TokenIssuer::store_access(sdk::Context& context, AccessRow row,
                                      std::string_view refresh_token) {
    const SessionKeys keys = SessionKeys::of(context);
    sdk::Transaction& transaction = context.transaction();
    const std::string token = sdk::random_token(kTokenBytes);
    const std::string digest = sdk::token_digest(token);
    row.refresh_digest = sdk::token_digest(refresh_token);
    row.masked_refresh = mask_with_token(refresh_token, token);
    transaction.put(keys.access(digest), row.encode());
    transaction.put(keys.access_of_refresh(row.refresh_digest, digest), {});
    transaction.put(keys.expiry(row.expires_at_ms, RowTag::access, digest), {});
    return token;
}

sdk::Result<IssuedTokens> TokenIssuer::issue(sdk::Context& context, const sdk::Document& client,
                                             const sdk::Principal& principal,
                                             std::string_view scope, std::vector<Actor> actors) {
    auto basis = present_basis(context, principal.key, std::move(actors));
    if (!basis) return basis.error();
    if (!*basis) return invalid_grant("the user is disabled or was removed");
    const SessionKeys keys = SessionKeys::of(context);
    const std::int64_t now = sdk::now_ms();
    const std::int64_t seconds =
        seconds_of(client, "accessTokenValiditySeconds", validity_.access_seconds);
    const std::int64_t refresh_until =
        now + 1000 * seconds_of(client, "refreshTokenValiditySeconds", validity_.refresh_seconds);
    IssuedTokens issued;
    issued.refresh_token = sdk::random_token(kTokenBytes);
    issued.scope = scope;
    issued.expires_in_seconds = seconds;
    const std::string digest = sdk::token_digest(issued.refresh_token);
    const RefreshRow row{context.platform().number, principal.key, client.key, refresh_until,
                         std::string(scope),        **basis};
    context.transaction().put(keys.refresh(digest), row.encode());
    context.transaction().put(keys.expiry(refresh_until, RowTag::refresh, digest), {});
    issued.access_token = store_access(
        context, {row.platform, row.principal, row.client, now + 1000 * seconds, {}, {}, row.basis},
        issued.refresh_token);
    return issued;
}

sdk::Result<std::vector<Actor>> TokenIssuer::actors_behind(sdk::Context& context,
                                                           std::string_view access_digest) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row = read_row<AccessRow>(context.transaction(), keys.access(access_digest));
    if (!row) return row.error();
    // Since the request began, the caller's own token has ended.
    if (!*row) return invalid_grant("the token in use has ended");
    std::vector<Actor> actors = std::move((*row)->basis.actors);
    if (actors.size() == kMaxActors) {
        return invalid_grant("too many users act through one another already");
    }
    actors.push_back({(*row)->principal, (*row)->basis.epoch});
    return actors;
}

sdk::Result<IssuedTokens> TokenIssuer::refresh(sdk::Context& context, const sdk::Document& client,
                                               std::string_view refresh_token) {
    const SessionKeys keys = SessionKeys::of(context);
    const std::string digest = sdk::token_digest(refresh_token);
    auto row = read_row<RefreshRow>(context.transaction(), keys.refresh(digest));
    if (!row) return row.error();
    const std::int64_t now = sdk::now_ms();
    if (!*row || (*row)->expires_at_ms <= now || (*row)->client != client.key) {
        return unknown_refresh_token();
    }
    auto user = present_user(context.transaction(), keys, (*row)->principal, (*row)->basis);
    if (!user) return user.error();
    if (!*user) return unknown_refresh_token();
    IssuedTokens issued;
    issued.refresh_token = refresh_token;
    issued.scope = (*row)->scope;
    issued.expires_in_seconds =
        seconds_of(client, "accessTokenValiditySeconds", validity_.access_seconds);
    const std::int64_t until = now + 1000 * issued.expires_in_seconds;
    issued.access_token = store_access(
        context, {(*row)->platform, (*row)->principal, client.key, until, {}, {}, (*row)->basis},
        refresh_token);
    return issued;
}

sdk::Result<void> TokenIssuer::expire(sdk::Context& context, std::string_view access_digest,
                                      bool all) {
    const SessionKeys keys = SessionKeys::of(context);
    sdk::Transaction& transaction = context.transaction();
    auto row = read_row<AccessRow>(transaction, keys.access(access_digest));
    if (!row) return row.error();
    if (!*row) return {};
    transaction.remove(keys.access(access_digest));
    const std::string& refresh_digest = (*row)->refresh_digest;
    if (!all) {
        transaction.remove(keys.access_of_refresh(refresh_digest, access_digest));
        return {};
    }
    return end_login(context, refresh_digest);
}

sdk::Result<void> TokenIssuer::end_login(sdk::Context& context, std::string_view refresh_digest) {
    const SessionKeys keys = SessionKeys::of(context);
    sdk::Transaction& transaction = context.transaction();
    const std::string begin = keys.access_of_refresh(refresh_digest);
    std::vector<std::string> links;
    const auto cursor =
        transaction.scan({begin, sdk::prefix_end(begin)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        links.emplace_back(cursor->key());
    if (auto status = cursor->status(); !status) return status;
    for (const std::string& link : links) {
        transaction.remove(keys.access(std::string_view(link).substr(begin.size())));
        transaction.remove(link);
    }
    transaction.remove(keys.refresh(refresh_digest));
    return {};
}

sdk::Result<std::string> TokenIssuer::refresh_token_of(sdk::Context& context,
                                                       std::string_view access_token) {
    const SessionKeys keys = SessionKeys::of(context);
    auto row =
        read_row<AccessRow>(context.transaction(), keys.access(sdk::token_digest(access_token)));
    if (!row) return row.error();
    if (!*row) return std::string();
    auto refresh =
        read_row<RefreshRow>(context.transaction(), keys.refresh((*row)->refresh_digest));
    if (!refresh) return refresh.error();
    if (!*refresh || (*refresh)->expires_at_ms <= sdk::now_ms()) return std::string();
    return mask_with_token((*row)->masked_refresh, access_token);
}

void TokenIssuer::sweep() {
    const std::int64_t now = sdk::now_ms();
    std::int64_t last = swept_at_ms_.load();
    if (now - last < kSweepEveryMs || !swept_at_ms_.compare_exchange_strong(last, now)) return;
    const SessionKeys keys(registrar_.shared_key_space(kSessionSpace));
    const std::shared_ptr<sdk::Transaction> transaction = registrar_.engine().begin();
    std::vector<std::string> expired;
    {
        const auto cursor = transaction->scan({keys.expiry_before(0), keys.expiry_before(now)},
                                              sdk::ScanDirection::forward);
        for (; cursor->is_valid() && expired.size() < kSweptAtOnce; cursor->next())
            expired.emplace_back(cursor->key());
    }
    if (expired.empty()) return;
    // There is more: the next one to ask for a token goes on.
    if (expired.size() == kSweptAtOnce) swept_at_ms_ = 0;
    for (const std::string& key : expired) {
        transaction->remove(key);
        const auto parts = keys.split_expiry(key);
        if (!parts) continue;
        if (parts->tag == RowTag::code) transaction->remove(keys.code(parts->rest));
        if (parts->tag == RowTag::refresh) transaction->remove(keys.refresh(parts->rest));
        if (parts->tag != RowTag::access) continue;
        const std::string row_key = keys.access(parts->rest);
        auto row = read_row<AccessRow>(*transaction, row_key);
        if (row && *row) {
            transaction->remove(keys.access_of_refresh((*row)->refresh_digest, parts->rest));
        }
        transaction->remove(row_key);
    }
    // A conflict only means that another server sweeps too; the next sweep finds what is left.
    transaction->commit([transaction](sdk::Result<void> done) {
        if (done || done.error().code == "engine.conflict") return;
        sdk::log(sdk::LogLevel::warning, "identity",
                 "expired tokens were not removed: " + done.error().message);
    });
}

}  // namespace stele::identity
