#include <stele/sdk/regex_weight.hpp>

#include <string>

#include <catch2/catch.hpp>

namespace stele::sdk {

TEST_CASE("a plain pattern weighs as much as it is long") {
    CHECK(regex_weight("") == 0);
    CHECK(regex_weight("^[a-z]+\\d?$") == 11);
    CHECK(regex_weight("a{x}{,y}{") == 9);
}

TEST_CASE("repetitions weigh what they count, and classes of Unicode a lot") {
    CHECK(regex_weight("x{1000}") == 1007);
    CHECK(regex_weight("x{0,700}y{3,}") == 713 + 3);
    CHECK(regex_weight("\\pL") > 3 + 40);
    CHECK(regex_weight("\\PN\\pL") > 2 * 43);
    CHECK(regex_weight("x{99999999999999999999999}") > kMaxRegexWeight);
}

}  // namespace stele::sdk
