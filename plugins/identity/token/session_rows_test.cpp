#include "session_rows.hpp"

#include "session_keys.hpp"

#include <catch2/catch.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/seal.hpp>

using namespace stele::identity;

namespace {
const std::string kBytes("\0\1key\0", 6);
const std::string kDigest(32, '\7');
}  // namespace

TEST_CASE("rows about tokens come back as they were written") {
    const SessionBasis basis{9, {{kBytes, 3}, {"other", 0}}};
    const AccessRow access{7,    kBytes, "client", 1234567890123, kDigest, std::string("\0\1", 2),
                           basis};
    const auto read = AccessRow::decode(access.encode());
    REQUIRE(read);
    CHECK(read->platform == 7);
    CHECK(read->principal == kBytes);
    CHECK(read->client == "client");
    CHECK(read->expires_at_ms == 1234567890123);
    CHECK(read->refresh_digest == kDigest);
    CHECK(read->masked_refresh == std::string("\0\1", 2));
    CHECK(read->basis.epoch == 9);
    REQUIRE(read->basis.actors.size() == 2);
    CHECK(read->basis.actors[0].principal == kBytes);
    CHECK(read->basis.actors[0].epoch == 3);
    CHECK(read->basis.actors[1].principal == "other");

    const auto refresh = RefreshRow::decode(RefreshRow{1, kBytes, "c", 5, "api", {4, {}}}.encode());
    REQUIRE(refresh);
    CHECK(refresh->principal == kBytes);
    CHECK(refresh->scope == "api");
    CHECK(refresh->basis.epoch == 4);
}

TEST_CASE("rows about authorization codes come back as they were written") {
    CodeRow code;
    code.platform = 7;
    code.principal = kBytes;
    code.client = "client";
    code.expires_at_ms = 5;
    code.redirect_uri = "https://app.example.org/back";
    code.is_uri_named = false;
    code.scope = "api";
    code.challenge = kDigest;
    code.is_challenge_hashed = true;
    code.refresh_digest = kBytes;
    code.basis = {2, {}};
    const auto read = CodeRow::decode(code.encode());
    REQUIRE(read);
    CHECK(read->platform == 7);
    CHECK(read->principal == kBytes);
    CHECK(read->client == "client");
    CHECK(read->expires_at_ms == 5);
    CHECK(read->redirect_uri == "https://app.example.org/back");
    CHECK_FALSE(read->is_uri_named);
    CHECK(read->scope == "api");
    CHECK(read->challenge == kDigest);
    CHECK(read->is_challenge_hashed);
    CHECK(read->refresh_digest == kBytes);
    CHECK(read->basis.epoch == 2);
}

TEST_CASE("the copy of a principal keeps every member") {
    PrincipalRow row;
    row.principal = {
        kBytes, stele::sdk::PrincipalKind::group, "id", "name", "domain", "e@x", "First", "Last",
        false};
    row.identity = "identity";
    row.epoch = 11;
    const auto read = PrincipalRow::decode(row.encode());
    REQUIRE(read);
    CHECK(read->principal.key == kBytes);
    CHECK(read->principal.kind == stele::sdk::PrincipalKind::group);
    CHECK(read->principal.qualified_name() == "domain/name");
    CHECK(read->principal.email == "e@x");
    CHECK(read->principal.first_name == "First");
    CHECK(read->principal.last_name == "Last");
    CHECK_FALSE(read->principal.enabled);
    CHECK(read->identity == "identity");
    CHECK(read->epoch == 11);
}

TEST_CASE("rows from before there were epochs are of the first epoch") {
    stele::sdk::KeyWriter principal;
    principal.tag('1').text("key").integer(0).text("id").text("name").text("domain").text("");
    principal.text("").text("").integer(1).text("identity");
    const auto user = PrincipalRow::decode(principal.key());
    REQUIRE(user);
    CHECK(user->identity == "identity");
    CHECK(user->epoch == 0);
    stele::sdk::KeyWriter token;
    token.tag('1').integer(7).text(kBytes).text("client").integer(5).text("api");
    const auto refresh = RefreshRow::decode(token.key());
    REQUIRE(refresh);
    CHECK(refresh->scope == "api");
    CHECK(refresh->basis.epoch == 0);
    CHECK(refresh->basis.actors.empty());
}

TEST_CASE("bytes that are cut short, longer, or of another format are no row") {
    const std::string whole = AccessRow{7, kBytes, "client", 1, kDigest, "m", {}}.encode();
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_FALSE(AccessRow::decode(whole.substr(0, size)));
    CHECK_FALSE(AccessRow::decode(whole + "x"));
    CHECK_FALSE(AccessRow::decode("3" + whole.substr(1)));
    CHECK_FALSE(ClientRow::decode(""));
    CHECK_FALSE(ClientPlace::decode("1"));
}

TEST_CASE("keys tell their kind and what they are about") {
    const SessionKeys keys("prefix");
    const std::string access_key = keys.access(kDigest);
    const auto access = keys.split(access_key);
    REQUIRE(access);
    CHECK(access->tag == RowTag::access);
    CHECK(access->rest == kDigest);
    const std::string principal_key = keys.principal(kBytes);
    REQUIRE(keys.split(principal_key));
    CHECK(keys.split(principal_key)->tag == RowTag::principal);
    CHECK(keys.split(principal_key)->rest == kBytes);
    CHECK_FALSE(keys.split("prefiy"));
    CHECK_FALSE(keys.split("prefix"));
    CHECK(keys.user_of(keys.identity_user(kBytes, "user")) == "user");
    CHECK_FALSE(keys.user_of(keys.access(kDigest)));
}

TEST_CASE("expiry keys sort by time and name the token that ends") {
    const SessionKeys keys("prefix");
    const std::string early = keys.expiry(999, RowTag::refresh, kDigest);
    const std::string late = keys.expiry(1'700'000'000'000, RowTag::access, kDigest);
    CHECK(early < late);
    CHECK(early < keys.expiry_before(1000));
    CHECK(late > keys.expiry_before(1'699'999'999'999));
    CHECK(keys.expiry_before(0) < early);
    const auto parts = keys.split_expiry(late);
    REQUIRE(parts);
    CHECK(parts->tag == RowTag::access);
    CHECK(parts->rest == kDigest);
    CHECK_FALSE(keys.split_expiry(keys.access(kDigest)));
}

TEST_CASE("the links of a refresh token share a prefix that ends before the access token") {
    const SessionKeys keys("prefix");
    const std::string prefix = keys.access_of_refresh(kDigest);
    const std::string link = keys.access_of_refresh(kDigest, "access");
    REQUIRE(link.substr(0, prefix.size()) == prefix);
    CHECK(link.substr(prefix.size()) == "access");
}

TEST_CASE("a masked refresh token is uncovered by its access token only") {
    const std::string token = stele::sdk::random_token(32);
    const std::string refresh = stele::sdk::random_token(32);
    const std::string masked = mask_with_token(refresh, token);
    CHECK(masked.size() == refresh.size());
    CHECK(masked != refresh);
    CHECK(mask_with_token(masked, token) == refresh);
    CHECK(mask_with_token(masked, token + "x") != refresh);
    CHECK(mask_with_token(masked, stele::sdk::token_digest(token)) != refresh);
}
