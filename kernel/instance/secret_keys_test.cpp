#include <catch2/catch.hpp>

#include "kernel/instance/secret_keys.hpp"

namespace stele::kernel::instance {

namespace {

SecretKeys keys_numbered(const std::vector<int>& numbers) {
    SecretKeys keys;
    for (const int number : numbers)
        keys.push_back({static_cast<std::uint8_t>(number), std::string(32, 'k')});
    return keys;
}

}  // namespace

TEST_CASE("a new key takes the number behind the highest, and after the last the lowest free one") {
    const std::vector<std::pair<std::vector<int>, int>> cases{
        {{}, 1}, {{1}, 2}, {{7, 3}, 8}, {{254}, 255}, {{255}, 1}, {{255, 1, 2, 4}, 3}};
    for (const auto& [present, wanted] : cases) {
        const auto key = make_secret_key(keys_numbered(present));
        REQUIRE(key.has_value());
        CHECK(int{key->id} == wanted);
        CHECK(key->bytes.size() == 32);
    }
}

TEST_CASE("there is no new key when all numbers are in use") {
    SecretKeys all;
    for (int number = 1; number <= 255; ++number)
        all.push_back({static_cast<std::uint8_t>(number), std::string(32, 'k')});
    CHECK(make_secret_key(all).error().code == "instance.secret_key_invalid");
    all.erase(all.begin() + 99);
    CHECK(int{make_secret_key(all)->id} == 100);
}

}  // namespace stele::kernel::instance
