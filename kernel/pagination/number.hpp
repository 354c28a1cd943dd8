#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stele::kernel::pagination {

/// A JSON number as it was written: integers keep all their digits.
struct Number {
    enum class Form { signed_integer, unsigned_integer, real };

    Form form = Form::signed_integer;
    std::int64_t integer = 0;
    std::uint64_t large = 0;  ///< `unsigned_integer`: beyond the range of `integer`
    double value = 0;

    static Number of(std::int64_t integer);
    static Number of(std::uint64_t integer);
    static Number of(double value);
    /// Reads the text of a JSON number; nothing when it is none, or beyond the range of a double.
    /// simdjson 3.0.1 on demand misreads some doubles of more than 19 digits, hence our own.
    static std::optional<Number> read(std::string_view token);
};

/// Negative, 0 or positive, by exact value. No NaN.
int compare(const Number& a, const Number& b);

/// The number without its fraction; nothing beyond the range of 64 signed bits.
std::optional<std::int64_t> truncated(const Number& number);

}  // namespace stele::kernel::pagination
