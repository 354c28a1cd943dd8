#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stele::node_search {

/// Milliseconds of a date of ISO 8601, `2026-11-22` or `2026-11-22T14:20:31.5+01:00`, in UTC where
/// it names no zone; nothing when the text is none.
std::optional<std::int64_t> read_iso_date(std::string_view text);

/// What stands for a number or a date in the index: in the order of the values, as bytes.
std::string number_key(double number);
std::string date_key(std::int64_t ms);

/// What a range compares with: where the field's values lie in the index, and the ends.
struct RangeBounds {
    enum class Of {
        values,  ///< numbers and dates (`number_key`, `date_key`)
        words,   ///< of the field, folded
    };

    Of of = Of::values;
    /// Of values: of which kind, the first byte of their keys.
    std::string kind = {};
    std::optional<std::string> lower = {};
    std::optional<std::string> upper = {};
    bool has_lower = true;
    bool has_upper = true;

    bool holds(std::string_view key) const;
};

}  // namespace stele::node_search
