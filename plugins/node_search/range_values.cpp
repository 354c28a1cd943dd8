#include "range_values.hpp"

#include <charconv>
#include <ctime>

#include <xapian.h>

namespace stele::node_search {

namespace {

// More than any date has.
constexpr std::size_t kMaxDateLength = 40;
constexpr std::int64_t kMsOfSecond = 1000;
constexpr std::int64_t kSecondsOfMinute = 60;
constexpr std::int64_t kMinutesOfHour = 60;

/// Takes the parts of a date off its beginning.
class DateText {
public:
    explicit DateText(std::string_view rest) : rest_(rest) {}

    bool is_at_end() const { return rest_.empty(); }

    bool take(char sign) {
        if (!rest_.starts_with(sign)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    std::optional<int> number(std::size_t digits, int most) {
        if (rest_.size() < digits) return std::nullopt;
        int number = 0;
        const char* const end = rest_.data() + digits;
        const auto [stop, problem] = std::from_chars(rest_.data(), end, number);
        if (problem != std::errc() || stop != end || number < 0 || number > most)
            return std::nullopt;
        rest_.remove_prefix(digits);
        return number;
    }

    /// Digits behind a point, as milliseconds.
    std::optional<std::int64_t> fraction() {
        std::int64_t ms = 0;
        std::int64_t place = kMsOfSecond / 10;
        std::size_t digits = 0;
        for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
            ms += (rest_[digits] - '0') * place;
            place /= 10;
        }
        rest_.remove_prefix(digits);
        return digits > 0 ? std::optional(ms) : std::nullopt;
    }

private:
    std::string_view rest_;
};

bool read_day(DateText& text, std::tm& parts) {
    constexpr int kLastYear = 9999;
    constexpr int kFirstTmYear = 1900;
    const auto year = text.number(4, kLastYear);
    if (!year || !text.take('-')) return false;
    const auto month = text.number(2, 12);
    if (!month || *month == 0 || !text.take('-')) return false;
    const auto day = text.number(2, 31);
    if (!day || *day == 0) return false;
    parts.tm_year = *year - kFirstTmYear;
    parts.tm_mon = *month - 1;
    parts.tm_mday = *day;
    return true;
}

/// Hours, minutes and perhaps seconds; milliseconds beyond them.
std::optional<std::int64_t> read_time(DateText& text, std::tm& parts) {
    const auto hour = text.number(2, 23);
    if (!hour || !text.take(':')) return std::nullopt;
    const auto minute = text.number(2, 59);
    if (!minute) return std::nullopt;
    parts.tm_hour = *hour;
    parts.tm_min = *minute;
    if (!text.take(':')) return 0;
    const auto second = text.number(2, 60);
    if (!second) return std::nullopt;
    parts.tm_sec = *second;
    return text.take('.') ? text.fraction() : 0;
}

/// Seconds by which the zone is ahead of UTC.
std::optional<std::int64_t> read_zone(DateText& text) {
    if (text.is_at_end() || text.take('Z')) return 0;
    const bool is_behind = text.take('-');
    if (!is_behind && !text.take('+')) return std::nullopt;
    const auto hours = text.number(2, 23);
    text.take(':');
    const auto minutes = text.number(2, 59);
    if (!hours || !minutes) return std::nullopt;
    const std::int64_t ahead = (*hours * kMinutesOfHour + *minutes) * kSecondsOfMinute;
    return is_behind ? -ahead : ahead;
}

}  // namespace

std::optional<std::int64_t> read_iso_date(std::string_view text) {
    const bool may_be_date = text.size() <= kMaxDateLength && !text.empty() &&
                             text.front() >= '0' && text.front() <= '9';
    if (!may_be_date) return std::nullopt;
    DateText rest(text);
    std::tm parts{};
    if (!read_day(rest, parts)) return std::nullopt;
    const int day = parts.tm_mday;
    std::int64_t ms = 0;
    std::int64_t ahead = 0;
    if (rest.take('T') || rest.take(' ')) {
        const auto fraction = read_time(rest, parts);
        const auto zone = fraction ? read_zone(rest) : std::nullopt;
        if (!zone) return std::nullopt;
        ms = *fraction;
        ahead = *zone;
    }
    if (!rest.is_at_end()) return std::nullopt;
    const std::int64_t seconds = timegm(&parts);
    // A leap second and 30 February would be other days.
    if (parts.tm_mday != day) return std::nullopt;
    return (seconds - ahead) * kMsOfSecond + ms;
}

std::string number_key(double number) {
    return 'n' + Xapian::sortable_serialise(number);
}

std::string date_key(std::int64_t ms) {
    return 'd' + Xapian::sortable_serialise(static_cast<double>(ms));
}

bool RangeBounds::holds(std::string_view key) const {
    if (of == Of::values && !key.starts_with(kind)) return false;
    if (lower && (has_lower ? key < *lower : key <= *lower)) return false;
    return !upper || (has_upper ? key <= *upper : key < *upper);
}

}  // namespace stele::node_search
