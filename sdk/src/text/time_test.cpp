#include <stele/sdk/time.hpp>

#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using stele::sdk::time_value;

TEST_CASE("a time value has all members of the specification, the month counted from zero") {
    CHECK(stele::sdk::dump_json(time_value(1'552'980'897'042)) ==
          R"({"timestamp":"19-Mar-2019 07:34:57","iso_8601":"2019-03-19T07:34:57Z","year":2019,)"
          R"("month":2,"day_of_month":19,"hour":7,"minute":34,"second":57,"millisecond":42,)"
          R"("ms":1552980897042})");
}

TEST_CASE("times at the edges of days, months and years are right") {
    const auto [ms, timestamp, iso] = GENERATE(table<std::int64_t, const char*, const char*>({
        {0, "01-Jan-1970 00:00:00", "1970-01-01T00:00:00Z"},
        {-1, "31-Dec-1969 23:59:59", "1969-12-31T23:59:59Z"},
        {951'782'399'999, "28-Feb-2000 23:59:59", "2000-02-28T23:59:59Z"},
        {951'782'400'000, "29-Feb-2000 00:00:00", "2000-02-29T00:00:00Z"},
        {1'798'761'599'999, "31-Dec-2026 23:59:59", "2026-12-31T23:59:59Z"},
        {253'402'300'799'999, "31-Dec-9999 23:59:59", "9999-12-31T23:59:59Z"},
    }));
    const auto value = time_value(ms);
    CHECK(value.at("timestamp").get<std::string>() == timestamp);
    CHECK(value.at("iso_8601").get<std::string>() == iso);
    CHECK(value.at("ms").get<std::int64_t>() == ms);
}

TEST_CASE("times that no calendar holds show its last day and keep their number") {
    const auto ms = std::numeric_limits<std::int64_t>::max();
    CHECK(time_value(ms).at("iso_8601").get<std::string>() == "9999-12-31T23:59:59Z");
    CHECK(time_value(ms).at("ms").get<std::int64_t>() == ms);
}

TEST_CASE("now lies after this was written") {
    CHECK(stele::sdk::now_ms() > 1'700'000'000'000);
}
