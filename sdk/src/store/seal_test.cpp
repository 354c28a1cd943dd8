#include <stele/sdk/seal.hpp>

#include <set>

#include <catch2/catch.hpp>

using namespace stele::sdk;

TEST_CASE("a password fits its own hash only") {
    const std::string hash = hash_password("correct horse");
    CHECK(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
    CHECK(fits_password("correct horse", hash));
    CHECK_FALSE(fits_password("correct horsf", hash));
    CHECK_FALSE(fits_password("", hash));
    CHECK(hash_password("correct horse") != hash);
}

TEST_CASE("a broken hash fits nothing") {
    const std::string hash = hash_password("p");
    CHECK_FALSE(fits_password("p", ""));
    CHECK_FALSE(fits_password("p", "plain"));
    CHECK_FALSE(fits_password("p", hash.substr(0, hash.size() - 1)));
    CHECK_FALSE(fits_password("p", hash + std::string(200, 'x')));
}

TEST_CASE("a hash that asks for ruinous work is refused unread") {
    CHECK_FALSE(fits_password("p", "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$aGFzaA"));
    CHECK_FALSE(fits_password("p", "$argon2id$v=19$m=19456,t=4000000,p=1$c29tZXNhbHQ$aGFzaA"));
}

TEST_CASE("random texts have their length and alphabet and do not repeat") {
    CHECK(random_hex(10).size() == 20);
    CHECK(random_hex(10).find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(random_token(32).size() == 43);
    CHECK(random_token(32).find_first_of("+/=") == std::string::npos);
    CHECK(random_hex(0).empty());
    std::set<std::string> tokens;
    for (int i = 0; i < 100; ++i)
        tokens.insert(random_token(16));
    CHECK(tokens.size() == 100);
}

TEST_CASE("equal texts are equal in constant time, too") {
    CHECK(equals_in_constant_time("", ""));
    CHECK(equals_in_constant_time("abc", "abc"));
    CHECK_FALSE(equals_in_constant_time("abc", "abd"));
    CHECK_FALSE(equals_in_constant_time("abc", "ab"));
}

TEST_CASE("a token's digest is 32 bytes and always the same") {
    CHECK(token_digest("t").size() == 32);
    CHECK(token_digest("t") == token_digest("t"));
    CHECK(token_digest("t") != token_digest("u"));
}

TEST_CASE("SHA-256 gives the digests of its standard") {
    const std::string digest = sha256("abc");
    REQUIRE(digest.size() == 32);
    // FIPS 180-4, example of one block: ba7816bf … f20015ad.
    CHECK(digest.substr(0, 4) == "\xba\x78\x16\xbf");
    CHECK(digest.substr(28) == std::string("\xf2\x00\x15\xad", 4));
}
