#include <stele/sdk/http_date.hpp>

#include <catch2/catch.hpp>

namespace stele::sdk {

TEST_CASE("dates of HTTP are written and read in all three forms") {
    constexpr std::int64_t kExample = 784'111'777'000;
    CHECK(http_date(kExample) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(http_date(kExample + 999) == "Sun, 06 Nov 1994 08:49:37 GMT");
    for (const auto* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994"}) {
        INFO(text);
        CHECK(read_http_date(text) == kExample);
    }
    CHECK(read_http_date("Thu, 29 Feb 2024 00:00:00 GMT") == 1'709'164'800'000);
}

TEST_CASE("what is no date of HTTP is not read") {
    for (const auto* text :
         {"", "now", "\"etag\"", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
          "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
          "Wed, 31 Feb 2024 00:00:00 GMT", "Sun, 06 Nov 94000 08:49:37 GMT",
          "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "1994-11-06T08:49:37Z",
          "Sun, -6 Nov 1994 08:49:37 GMT x"}) {
        INFO(text);
        CHECK_FALSE(read_http_date(text));
    }
}

}  // namespace stele::sdk
