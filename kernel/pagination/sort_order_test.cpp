#include "kernel/pagination/sort_order.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace stele::kernel::pagination {
namespace {

using Texts = std::vector<std::string>;
using Sort = std::vector<sdk::SortKey>;

constexpr std::size_t kRoom = 64;

std::string order_key(SortOrder& order, std::string text) {
    const std::size_t size = text.size();
    text.append(kRoom, '\0');
    std::string key = "what was in it before";
    order.key_of(std::string_view(text).substr(0, size), key);
    return key;
}

void check_sorted(const Texts& expected, const Sort& sort, bool is_numeric = false,
                  const sdk::SortOptions& options = {}) {
    auto order = SortOrder::make(sort, options, is_numeric);
    REQUIRE(order.has_value());
    for (const unsigned seed : {1U, 2U, 3U}) {
        Texts texts = expected;
        std::shuffle(texts.begin(), texts.end(), std::mt19937(seed));
        std::stable_sort(texts.begin(), texts.end(), [&](const auto& a, const auto& b) {
            return order_key(*order, a) < order_key(*order, b);
        });
        CHECK(texts == expected);
    }
}

bool are_equal(const std::string& a, const std::string& b, const Sort& sort) {
    auto order = SortOrder::make(sort, {}, false);
    REQUIRE(order.has_value());
    return order_key(*order, a) == order_key(*order, b);
}

TEST_CASE("without options every value counts as a string of code points") {
    check_sorted({R"({"a":10})", R"({"a":9})", R"({"a":"B"})", R"({"a":"a"})", R"({"a":"aa"})",
                  R"({"a":"b"})", R"({"a":true})", R"({"a":"\u00e9"})", R"({"a":"\ufffd"})",
                  R"({"a":"\ud800\udc00"})"},
                 {{"a", true}});
    check_sorted(
        {R"({"a":""})", R"({"a":"\u0000"})", R"({"a":"\u0000a"})", R"({"a":"\u0001"})",
         R"({"a":-1})", R"({"a":1.5})", R"({"a":"1.6"})", R"({"a":[1]})", R"({"a":{"b":1}})"},
        {{"a", true}});
}

TEST_CASE("a missing field and null sort lowest, so last when descending") {
    check_sorted({R"({"b":1})", R"({"a":""})", R"({"a":"x"})"}, {{"a", true}});
    check_sorted({R"({"a":"x"})", R"({"a":""})", R"({"b":1})"}, {{"a", false}});
    CHECK(are_equal(R"({"a":null})", R"({})", {{"a", true}}));
    CHECK(are_equal(R"({"a":{"b":null}})", R"({"a":7})", {{"a.b", true}}));
    CHECK(are_equal(R"({"a":[{"b":1}]})", R"({"a":[]})", {{"a.b", true}}));
}

TEST_CASE("a string that continues another comes behind it, or before when descending") {
    check_sorted({R"({"a":"x","b":2})", R"({"a":"x\u0000","b":1})", R"({"a":"xy","b":0})"},
                 {{"a", true}, {"b", true}});
    check_sorted({R"({"a":"xy","b":0})", R"({"a":"x\u0000","b":1})", R"({"a":"x","b":2})"},
                 {{"a", false}, {"b", true}});
}

TEST_CASE("several fields apply in the order written, each in its direction") {
    check_sorted({R"({"b":"1","a":"x"})", R"({"b":"1","a":"w"})", R"({"a":"z","b":"2"})",
                  R"({"a":"y","b":"2"})", R"({"b":"2"})"},
                 {{"b", true}, {"a", false}});
}

TEST_CASE("dotted names reach into objects") {
    check_sorted(
        {R"({"a":{"b":{"c":1}}})", R"({"a":{"x":[{}],"b":{"c":2}}})", R"({"a":{"b":{"c":3}}})"},
        {{"a.b.c", true}});
    check_sorted({R"({"a":{"x":1,"y":2}})", R"({"a":{"x":2,"y":1}})"}, {{"a.x", true}});
    check_sorted({R"({"a":{"x":2,"y":1}})", R"({"a":{"x":1,"y":2}})"}, {{"a.y", true}});
    // By the object as a whole, then by one of its members.
    check_sorted({R"({"a":{"x":1,"y":2},"z":0})", R"({"a":{"x":1,"y":3},"z":0})"},
                 {{"a", true}, {"a.y", false}, {"z", true}});
    check_sorted({R"({"a":{"y":3}, "b":1})", R"({"a":{"y":3} , "b":2})"},
                 {{"a", true}, {"b", true}});
}

TEST_CASE("when asked for, numbers compare by value and come before strings") {
    check_sorted({R"({})",
                  R"({"a":-1e300})",
                  R"({"a":-9223372036854775808})",
                  R"({"a":-9223372036854775807})",
                  R"({"a":-9007199254740993})",
                  R"({"a":-9007199254740992.0})",
                  R"({"a":-9007199254740991})",
                  R"({"a":-10})",
                  R"({"a":-9.5})",
                  R"({"a":0})",
                  R"({"a":9})",
                  R"({"a":9.5})",
                  R"({"a":10})",
                  R"({"a":9007199254740991})",
                  R"({"a":9007199254740992})",
                  R"({"a":9007199254740993})",
                  R"({"a":9007199254740994.0})",
                  R"({"a":9223372036854775807})",
                  R"({"a":9223372036854775808})",
                  R"({"a":18446744073709551615})",
                  R"({"a":18446744073709551616.0})",
                  R"({"a":"10"})",
                  R"({"a":"9"})"},
                 {{"a", true}}, true);
    auto order = SortOrder::make({{"a", true}}, {}, true);
    CHECK(order_key(*order, R"({"a":5})") == order_key(*order, R"({"a":5.0})"));
    CHECK(order_key(*order, R"({"a":-0.0})") == order_key(*order, R"({"a":0})"));
}

TEST_CASE("a locale orders several fields in both directions") {
    check_sorted({R"({"a":"Zebra","b":"x"})", R"({"a":"Äpfel","b":"A"})",
                  R"({"a":"Äpfel","b":"b"})", R"({"a":"Apfel","b":"a"})", R"({"b":"a"})"},
                 {{"a", false}, {"b", true}}, false, {.locale = "de"});
    check_sorted({R"({"a":9})", R"({"a":10})", R"({"a":"2"})"}, {{"a", true}}, true,
                 {.locale = "de"});
    check_sorted({R"({"a":9})", R"({"a":10})"}, {{"a", true}}, false,
                 {.locale = "de", .numeric_ordering = true});
}

TEST_CASE("an order of no fields has an empty key") {
    auto order = SortOrder::make({}, {}, false);
    REQUIRE(order.has_value());
    CHECK(order->is_empty());
    CHECK(order_key(*order, R"({"a":1})").empty());
}

TEST_CASE("a broken text counts as missing what cannot be read") {
    CHECK(are_equal("", "{}", {{"a", true}}));
    CHECK(are_equal("[1", "{}", {{"a", true}}));
    CHECK(are_equal(R"({"b":1,"a)", "{}", {{"a", true}}));
}

}  // namespace
}  // namespace stele::kernel::pagination
