#include <stele/sdk/passphrase_seal.hpp>

#include <optional>
#include <thread>

#include <catch2/catch.hpp>

#include "../sodium.hpp"

using stele::sdk::PassphraseSeal;

namespace {

constexpr char kPassphrase[] = "correct horse battery";

std::string code_of(const stele::sdk::Result<PassphraseSeal>& made) {
    return made.has_error() ? made.error().code : "";
}

}  // namespace

TEST_CASE("what was sealed with a passphrase opens with it, its parameters and its context") {
    const PassphraseSeal seal = PassphraseSeal::make(kPassphrase);
    const std::string text = GENERATE(as<std::string>{}, "", "secret", std::string("a\0b", 3));
    const std::string sealed = seal.seal(text, "here");
    const auto other = PassphraseSeal::make(kPassphrase, seal.parameters());
    CHECK(other->open(sealed, "here").value() == text);
    CHECK(other->open(sealed, "there").error().code == "seal.text_changed");
    CHECK(seal.seal(text, "here") != sealed);
}

TEST_CASE("two seals with one passphrase have no key in common") {
    const PassphraseSeal one = PassphraseSeal::make(kPassphrase);
    const PassphraseSeal other = PassphraseSeal::make(kPassphrase);
    CHECK(one.parameters().salt != other.parameters().salt);
    CHECK(one.parameters().check != other.parameters().check);
    CHECK(other.open(one.seal("secret", ""), "").error().code == "seal.text_changed");
}

TEST_CASE("another passphrase, and other parameters, are noticed before anything is opened") {
    const PassphraseSeal::Parameters told = PassphraseSeal::make(kPassphrase).parameters();
    CHECK(code_of(PassphraseSeal::make("correct horse batter", told)) == "seal.passphrase_wrong");
    PassphraseSeal::Parameters salted = told;
    salted.salt[0] = static_cast<char>(salted.salt[0] ^ 1);
    CHECK(code_of(PassphraseSeal::make(kPassphrase, salted)) == "seal.passphrase_wrong");
    PassphraseSeal::Parameters weaker = told;
    weaker.passes -= 1;
    CHECK(code_of(PassphraseSeal::make(kPassphrase, weaker)) == "seal.passphrase_wrong");
}

TEST_CASE("a changed byte anywhere is noticed by whoever knows the passphrase") {
    const PassphraseSeal seal = PassphraseSeal::make(kPassphrase);
    const std::string sealed = seal.seal("secret", "");
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        std::string altered = sealed;
        altered[i] = static_cast<char>(altered[i] ^ 1);
        INFO(i);
        CHECK(seal.open(altered, "").has_error());
    }
    CHECK(seal.open(sealed.substr(0, sealed.size() - 1), "").has_error());
    CHECK(seal.open("", "").has_error());
}

TEST_CASE("parameters that cost too much, or too little, are refused before they cost anything") {
    const std::string salt(PassphraseSeal::kSaltSize, 's');
    const std::string check(32, 'c');
    const PassphraseSeal::Parameters unfit[] = {
        {salt, 16 * 1024 - 1, 2, check},
        {salt, 64 * 1024 + 1, 2, check},
        {salt, std::uint64_t{1} << 54, 2, check},
        {salt, 32 * 1024, 1, check},
        {salt, 32 * 1024, 17, check},
        {salt + "s", 32 * 1024, 2, check},
        {"", 32 * 1024, 2, check},
        {salt, 32 * 1024, 2, ""},
    };
    for (const auto& parameters : unfit) {
        INFO(parameters.memory_kib << " KiB, " << parameters.passes << " passes");
        CHECK(code_of(PassphraseSeal::make(kPassphrase, parameters)) == "seal.parameters_unfit");
    }
}

TEST_CASE("keys of passphrases take one of the places for passwords, however many are wanted") {
    std::optional<stele::sdk::detail::KeyPlace> held(std::in_place);
    std::thread next([] { const stele::sdk::detail::KeyPlace place; });
    // It ends, whether or not the other one waits already.
    std::thread([] { const stele::sdk::detail::HashPlace place; }).join();
    held.reset();
    next.join();
}
