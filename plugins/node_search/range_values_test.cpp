#include "range_values.hpp"

#include <limits>

#include <catch2/catch.hpp>

namespace stele::node_search {

TEST_CASE("dates of ISO 8601 are read, in UTC where they name no zone") {
    struct Case {
        const char* text;
        std::int64_t ms;
    };
    for (const Case& each : {Case{"1970-01-01", 0}, Case{"1970-01-02T00:00", 86'400'000},
                             Case{"2019-03-19T07:34:57Z", 1'552'980'897'000},
                             Case{"2019-03-19 07:34:57.25", 1'552'980'897'250},
                             Case{"2019-03-19T08:34:57+01:00", 1'552'980'897'000},
                             Case{"2019-03-19T05:04:57-0230", 1'552'980'897'000}}) {
        INFO(each.text);
        CHECK(read_iso_date(each.text) == each.ms);
    }
    for (const auto* text :
         {"", "2019", "2019-03", "19-03-2019", "2019-02-30", "2019-13-01", "2019-03-19T",
          "2019-03-19T25:00", "2019-03-19x", "2019-03-19T07:34X", "2019-03-19T07:34:57.", "war"}) {
        INFO(text);
        CHECK_FALSE(read_iso_date(text));
    }
}

TEST_CASE("keys of numbers have the order of the numbers") {
    const double most = std::numeric_limits<double>::max();
    const double numbers[] = {-most, -1e9, -500, -1.5, -1,    0,   1e-9,
                              0.5,   1,    2,    10,   19.99, 1e9, most};
    for (std::size_t i = 1; i < std::size(numbers); ++i) {
        INFO(numbers[i]);
        CHECK(number_key(numbers[i - 1]) < number_key(numbers[i]));
    }
    CHECK(date_key(-1) < date_key(0));
    CHECK(date_key(0) < date_key(1'552'980'897'250));
}

}  // namespace stele::node_search
