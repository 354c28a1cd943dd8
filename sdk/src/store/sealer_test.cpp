#include <stele/sdk/sealer.hpp>

#include <stdexcept>

#include <catch2/catch.hpp>

using stele::sdk::Sealer;

namespace {
const std::string kOldKey(32, 'a');
const std::string kNewKey(32, 'b');
}  // namespace

TEST_CASE("a sealed text opens to what it was and does not show it") {
    const Sealer sealer(kOldKey);
    const std::string text = GENERATE(as<std::string>{}, "", "secret", std::string("a\0b", 3));
    const std::string sealed = sealer.seal(text);
    CHECK(sealer.open(sealed).value() == text);
    if (!text.empty()) CHECK(sealed.find(text) == std::string::npos);
    CHECK(sealer.seal(text) != sealed);
}

TEST_CASE("a changed byte anywhere is noticed") {
    const Sealer sealer(kOldKey);
    const std::string sealed = sealer.seal("secret");
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string altered = sealed;
        altered[i] = static_cast<char>(altered[i] ^ 1);
        INFO(i);
        const auto opened = sealer.open(altered);
        REQUIRE(opened.has_error());
        CHECK(opened.error().code == (i == 0 ? "seal.key_unknown" : "seal.broken"));
    }
    CHECK(sealer.open(sealed.substr(0, sealed.size() - 1)).error().code == "seal.broken");
    CHECK(sealer.open("").error().code == "seal.broken");
}

TEST_CASE("after a change of keys the newest seals and the older ones still open") {
    Sealer sealer(kOldKey, 1);
    const std::string old_text = sealer.seal("old");
    sealer.add_key(kNewKey, 2);
    const std::string new_text = sealer.seal("new");
    CHECK(sealer.open(old_text).value() == "old");
    CHECK(sealer.open(new_text).value() == "new");
    CHECK(Sealer(kNewKey, 2).open(new_text).value() == "new");
    CHECK(Sealer(kOldKey, 1).open(new_text).error().code == "seal.key_unknown");
    CHECK(Sealer(kOldKey, 2).open(new_text).error().code == "seal.broken");
}

TEST_CASE("a text under an older key is outdated, one under the newest is not") {
    Sealer sealer(kOldKey, 1);
    const std::string old_text = sealer.seal("old");
    CHECK_FALSE(sealer.is_outdated(old_text));
    sealer.add_key(kNewKey, 2);
    CHECK(sealer.is_outdated(old_text));
    CHECK_FALSE(sealer.is_outdated(sealer.seal("new")));
    CHECK_FALSE(sealer.is_outdated(""));
}

TEST_CASE("the digest of the newest key depends on the key and on its id") {
    const std::string digest = Sealer(kOldKey, 1).newest_key_digest();
    CHECK(digest.size() == 32);
    CHECK(Sealer(kOldKey, 1).newest_key_digest() == digest);
    CHECK(Sealer(kOldKey, 2).newest_key_digest() != digest);
    Sealer sealer(kNewKey, 2);
    CHECK(sealer.newest_key_digest() != digest);
    sealer.add_key(kOldKey, 1);
    CHECK(sealer.newest_key_digest() == digest);
}

TEST_CASE("a key of another size or a taken id is a programmer's mistake") {
    CHECK_THROWS_AS(Sealer("short"), std::logic_error);
    Sealer sealer(kOldKey, 1);
    CHECK_THROWS_AS(sealer.add_key(kNewKey, 1), std::logic_error);
}
