#include <stele/sdk/http_date.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <vector>

#include <stele/sdk/time.hpp>

namespace stele::sdk {

namespace {

// strftime and strptime know the names of the process's locale.
constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t kSecond = 1000;
constexpr int kFirstYear = 1900;

std::tm parts_of(std::int64_t ms) {
    const auto second = static_cast<std::time_t>(ms / kSecond);
    std::tm parts{};
    gmtime_r(&second, &parts);
    return parts;
}

/// What stands between blanks, commas and hyphens.
std::vector<std::string_view> date_words(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" ,-"), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

std::optional<int> date_number(std::string_view digits, int most) {
    int number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, problem] = std::from_chars(digits.data(), end, number);
    if (problem != std::errc() || stop != end || number < 0 || number > most) return std::nullopt;
    return number;
}

std::optional<int> month_of(std::string_view name) {
    const auto* const found = std::find(kMonths.begin(), kMonths.end(), name);
    if (found == kMonths.end()) return std::nullopt;
    return static_cast<int>(found - kMonths.begin());
}

/// Of two digits: a year that would be more than fifty years ahead is past.
std::optional<int> year_of(std::string_view digits) {
    constexpr int kLatest = 9999;
    constexpr int kCentury = 100;
    auto year = date_number(digits, kLatest);
    if (!year || digits.size() == 4) return year;
    if (digits.size() != 2) return std::nullopt;
    const int present = parts_of(now_ms()).tm_year + kFirstYear;
    const int guessed = present - present % kCentury + *year;
    return guessed > present + kCentury / 2 ? guessed - kCentury : guessed;
}

bool read_clock(std::string_view text, std::tm& parts) {
    constexpr std::size_t kClock = 8;
    if (text.size() != kClock || text[2] != ':' || text[5] != ':') return false;
    const auto hour = date_number(text.substr(0, 2), 23);
    const auto minute = date_number(text.substr(3, 2), 59);
    const auto second = date_number(text.substr(6, 2), 60);
    if (!hour || !minute || !second) return false;
    parts.tm_hour = *hour;
    parts.tm_min = *minute;
    parts.tm_sec = *second;
    return true;
}

}  // namespace

std::string http_date(std::int64_t ms) {
    const std::tm parts = parts_of(ms);
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                  kDays.at(static_cast<std::size_t>(parts.tm_wday)).data(), parts.tm_mday,
                  kMonths.at(static_cast<std::size_t>(parts.tm_mon)).data(),
                  parts.tm_year + kFirstYear, parts.tm_hour, parts.tm_min, parts.tm_sec);
    return text.data();
}

std::optional<std::int64_t> read_http_date(std::string_view text) {
    const auto words = date_words(text);
    // `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and, of C's asctime,
    // `Sun Nov  6 08:49:37 1994`.
    const bool is_asctime = words.size() == 5;
    if (!is_asctime && (words.size() != 6 || words[5] != "GMT")) return std::nullopt;
    const auto day = date_number(words[is_asctime ? 2 : 1], 31);
    const auto month = month_of(words[is_asctime ? 1 : 2]);
    const auto year = year_of(words[is_asctime ? 4 : 3]);
    std::tm parts{};
    if (!day || !month || !year || !read_clock(words[is_asctime ? 3 : 4], parts))
        return std::nullopt;
    parts.tm_mday = *day;
    parts.tm_mon = *month;
    parts.tm_year = *year - kFirstYear;
    const std::time_t second = timegm(&parts);
    // One that no calendar has (31 Feb) has become another.
    if (parts.tm_mday != *day || parts.tm_mon != *month) return std::nullopt;
    return static_cast<std::int64_t>(second) * kSecond;
}

}  // namespace stele::sdk
