#include <stele/sdk/services/usage.hpp>

namespace stele::sdk {

Usage::~Usage() = default;

std::chrono::year_month month_of(std::int64_t ms) {
    const std::chrono::sys_time<std::chrono::milliseconds> moment{std::chrono::milliseconds(ms)};
    const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(moment)};
    return day.year() / day.month();
}

std::int64_t begin_of(std::chrono::year_month month) {
    const std::chrono::sys_days day = month / std::chrono::day(1);
    return std::chrono::duration_cast<std::chrono::milliseconds>(day.time_since_epoch()).count();
}

}  // namespace stele::sdk
