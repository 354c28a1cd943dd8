#include "session_cache.hpp"

#include <memory>

#include <catch2/catch.hpp>

#include <stele/sdk/seal.hpp>
#include <stele/sdk/time.hpp>

using namespace stele::identity;

namespace {

SessionCache::Entry entry_of(const std::string& principal, const std::string& client,
                             std::int64_t expires_in_ms = 60'000) {
    auto session = std::make_shared<stele::sdk::Session>();
    session->expires_at_ms = stele::sdk::now_ms() + expires_in_ms;
    return {session, {principal, client}};
}

std::string digest_of(int number) {
    return stele::sdk::token_digest(std::to_string(number));
}

void fill(SessionCache& cache, const std::string& digest, SessionCache::Entry entry) {
    cache.insert(cache.begin_load(digest), digest, std::move(entry));
}

}  // namespace

TEST_CASE("a session is found by its token's digest until the token ends") {
    SessionCache cache(1000);
    fill(cache, digest_of(1), entry_of("user", "client"));
    CHECK(cache.find(digest_of(1)));
    CHECK_FALSE(cache.find(digest_of(2)));
    cache.forget_token(digest_of(1));
    CHECK_FALSE(cache.find(digest_of(1)));
    CHECK(cache.size() == 0);
}

TEST_CASE("a change of a principal or client voids its sessions and no others") {
    SessionCache cache(1000);
    fill(cache, digest_of(1), entry_of("user", "client"));
    fill(cache, digest_of(2), entry_of("user", "other client"));
    fill(cache, digest_of(3), entry_of("other user", "client"));
    cache.forget_subject("user");
    CHECK_FALSE(cache.find(digest_of(1)));
    CHECK_FALSE(cache.find(digest_of(2)));
    CHECK(cache.find(digest_of(3)));
    cache.forget_subject("client");
    CHECK_FALSE(cache.find(digest_of(3)));
}

TEST_CASE("a session that was loaded before a change is not kept after it") {
    SessionCache cache(1000);
    const auto before_principal = cache.begin_load(digest_of(1));
    cache.forget_subject("user");
    cache.insert(before_principal, digest_of(1), entry_of("user", "client"));
    CHECK_FALSE(cache.find(digest_of(1)));

    const auto before_token = cache.begin_load(digest_of(1));
    cache.forget_token(digest_of(1));
    cache.insert(before_token, digest_of(1), entry_of("user", "client"));
    CHECK_FALSE(cache.find(digest_of(1)));
}

TEST_CASE("the cache stays within its capacity") {
    SessionCache cache(128);
    for (int i = 0; i < 2000; ++i)
        fill(cache, digest_of(i), entry_of("user", "client"));
    CHECK(cache.size() <= 128);
    CHECK(cache.size() > 0);
    cache.forget_subject("user");
    CHECK(cache.size() == 0);
}

TEST_CASE("expired sessions make room before valid ones") {
    SessionCache cache(2 * 64);  // two a shard
    const std::string first = digest_of(1);
    // The last byte picks the shard.
    const std::string second = std::string(31, 'b') + first.back();
    const std::string third = std::string(31, 'c') + first.back();
    fill(cache, first, entry_of("user", "client"));
    fill(cache, second, entry_of("user", "client", -1));
    fill(cache, third, entry_of("user", "client"));
    CHECK(cache.find(first));
    CHECK_FALSE(cache.find(second));
    CHECK(cache.find(third));
}
