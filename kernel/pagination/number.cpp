#include "kernel/pagination/number.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace stele::kernel::pagination {

namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

template <class T>
int three_way(const T& a, const T& b) {
    return a < b ? -1 : (b < a ? 1 : 0);
}

// A double is split into its whole part, which fits the integer's type, and a fraction, so that
// nothing is rounded.
template <class Integer>
int compare_whole(Integer integer, double value) {
    const double whole = std::trunc(value);
    if (const int order = three_way(integer, static_cast<Integer>(whole)); order != 0) return order;
    return three_way(0.0, value - whole);
}

int compare(std::int64_t integer, double value) {
    if (value >= kTwoTo63) return -1;
    if (value < -kTwoTo63) return 1;
    return compare_whole(integer, value);
}

int compare(std::uint64_t large, double value) {
    if (value >= kTwoTo64) return -1;
    if (value < kTwoTo63) return 1;
    return compare_whole(large, value);
}

int compare_with_real(const Number& integer, double value) {
    return integer.form == Number::Form::signed_integer ? compare(integer.integer, value)
                                                        : compare(integer.large, value);
}

}  // namespace

Number Number::of(std::int64_t integer) {
    Number number;
    number.integer = integer;
    return number;
}

Number Number::of(std::uint64_t integer) {
    constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (integer <= kMax) return of(static_cast<std::int64_t>(integer));
    Number number;
    number.form = Form::unsigned_integer;
    number.large = integer;
    return number;
}

Number Number::of(double value) {
    Number number;
    number.form = Form::real;
    number.value = value;
    return number;
}

std::optional<Number> Number::read(std::string_view token) {
    const char* const begin = token.data();
    const char* const end = begin + token.size();
    Number number;
    auto read = std::from_chars(begin, end, number.integer);
    if (read.ec == std::errc() && read.ptr == end) return number;
    std::uint64_t large = 0;
    read = std::from_chars(begin, end, large);
    if (read.ec == std::errc() && read.ptr == end) return of(large);
    double value = 0;
    read = std::from_chars(begin, end, value);
    if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) return std::nullopt;
    return of(value);
}

int compare(const Number& a, const Number& b) {
    using Form = Number::Form;
    if (a.form == Form::real && b.form == Form::real) return three_way(a.value, b.value);
    if (b.form == Form::real) return compare_with_real(a, b.value);
    if (a.form == Form::real) return -compare_with_real(b, a.value);
    if (a.form != b.form) return a.form == Form::signed_integer ? -1 : 1;
    if (a.form == Form::signed_integer) return three_way(a.integer, b.integer);
    return three_way(a.large, b.large);
}

std::optional<std::int64_t> truncated(const Number& number) {
    switch (number.form) {
        case Number::Form::signed_integer:
            return number.integer;
        case Number::Form::unsigned_integer:
            return std::nullopt;
        case Number::Form::real:
            break;
    }
    if (!(number.value >= -kTwoTo63 && number.value < kTwoTo63)) return std::nullopt;
    return static_cast<std::int64_t>(number.value);
}

}  // namespace stele::kernel::pagination
