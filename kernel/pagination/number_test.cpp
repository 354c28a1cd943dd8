#include "kernel/pagination/number.hpp"

#include <catch2/catch.hpp>

namespace stele::kernel::pagination {
namespace {

TEST_CASE("numbers are read with all their digits and compare by value") {
    // Ascending; none equals its neighbour.
    const char* previous = "-1e308";
    for (const char* const token :
         {"-18446744073709551616", "-9223372036854775808", "-9007199254740993", "-9007199254740992",
          "-2.5", "-1", "-5e-324", "0", "0.1", "0.12345678901234567890123", "1", "9007199254740993",
          "9007199254740994.0", "9223372036854775807", "9223372036854775808",
          "18446744073709551614", "18446744073709551615", "18446744073709551616.0",
          "123456789012345678901e2"}) {
        INFO(previous << " and " << token);
        const auto a = Number::read(previous);
        const auto b = Number::read(token);
        REQUIRE(a.has_value());
        REQUIRE(b.has_value());
        CHECK(compare(*a, *b) < 0);
        CHECK(compare(*b, *a) > 0);
        CHECK(compare(*b, *b) == 0);
        previous = token;
    }
}

TEST_CASE("integers equal doubles of the same value only") {
    CHECK(compare(*Number::read("5"), *Number::read("5.0")) == 0);
    CHECK(compare(*Number::read("0"), *Number::read("-0.0")) == 0);
    CHECK(compare(*Number::read("9007199254740993"), *Number::read("9007199254740992.0")) == 1);
    CHECK(compare(*Number::read("9223372036854775807"), *Number::read("9223372036854775808.0")) ==
          -1);
    CHECK(compare(*Number::read("9223372036854775808"), *Number::read("9223372036854775808.0")) ==
          0);
}

TEST_CASE("what is no number is not read") {
    for (const char* const token : {"", "-", "x", "1x", "1e999", "nan", "inf", " 1"}) {
        INFO(token);
        CHECK_FALSE(Number::read(token).has_value());
    }
}

TEST_CASE("truncation ends at 64 bits") {
    CHECK(truncated(*Number::read("-2.9")) == -2);
    CHECK(truncated(*Number::read("2.9")) == 2);
    CHECK_FALSE(truncated(*Number::read("9223372036854775808")).has_value());
    CHECK_FALSE(truncated(*Number::read("9223372036854775808.0")).has_value());
    CHECK(truncated(*Number::read("-9223372036854775808.0")).has_value());
}

}  // namespace
}  // namespace stele::kernel::pagination
