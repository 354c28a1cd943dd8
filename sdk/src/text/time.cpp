#include <stele/sdk/time.hpp>

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/compile.h>
#include <fmt/format.h>
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

    Json::object_t members;
    members.reserve(10);
    // Every write has some of these.
    members.emplace_back(
        "timestamp",
        fmt::format(FMT_COMPILE("{:02}-{}-{:04} {:02}:{:02}:{:02}"), day_of_month,
                    kMonths[static_cast<std::size_t>(month)], year, hour, minute, second));
    members.emplace_back("iso_8601",
                         fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z"), year,
                                     month + 1, day_of_month, hour, minute, second));
    members.emplace_back("year", year);
    members.emplace_back("month", month);
    members.emplace_back("day_of_month", day_of_month);
    members.emplace_back("hour", hour);
    members.emplace_back("minute", minute);
    members.emplace_back("second", second);
    members.emplace_back("millisecond", static_cast<int>(time.subseconds().count()));
    members.emplace_back("ms", ms);
    return members;
}

}  // namespace stele::sdk
