#include <stele/sdk/time.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace stele::sdk {

namespace {

// 0000-01-01 and the last millisecond of 9999: what four digits of a year can say.
constexpr std::int64_t kFirstMs = -62'167'219'200'000;
constexpr std::int64_t kLastMs = 253'402'300'799'999;

constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

std::int64_t now_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

Json time_value(std::int64_t ms) {
    using namespace std::chrono;
    const sys_time<milliseconds> point{milliseconds{std::clamp(ms, kFirstMs, kLastMs)}};
    const auto day = floor<days>(point);
    const year_month_day date{day};
    const hh_mm_ss time{point - day};

    const int year = static_cast<int>(date.year());
    const int month = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
    const int day_of_month = static_cast<int>(static_cast<unsigned>(date.day()));
    const int hour = static_cast<int>(time.hours().count());
    const int minute = static_cast<int>(time.minutes().count());
    const int second = static_cast<int>(time.seconds().count());

    std::array<char, 64> timestamp{};
    std::snprintf(timestamp.data(), timestamp.size(), "%02d-%s-%04d %02d:%02d:%02d", day_of_month,
                  kMonths[static_cast<std::size_t>(month)], year, hour, minute, second);
    std::array<char, 64> iso{};
    std::snprintf(iso.data(), iso.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month + 1,
                  day_of_month, hour, minute, second);

    return Json{{"timestamp", timestamp.data()},
                {"iso_8601", iso.data()},
                {"year", year},
                {"month", month},
                {"day_of_month", day_of_month},
                {"hour", hour},
                {"minute", minute},
                {"second", second},
                {"millisecond", static_cast<int>(time.subseconds().count())},
                {"ms", ms}};
}

}  // namespace stele::sdk
