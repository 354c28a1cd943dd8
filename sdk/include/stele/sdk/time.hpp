#pragma once

#include <cstdint>

#include <stele/sdk/json.hpp>

namespace stele::sdk {

/// Epoch milliseconds, UTC.
std::int64_t now_ms();

/// The wire's time value (docs/specification/platform.md 1.3, docs/specification/semantics.md 3.6):
/// `timestamp`
/// ("dd-MMM-yyyy HH:mm:ss"), `iso_8601`, `year`, `month` (0-based, as the clients' calendars),
/// `day_of_month`, `hour`, `minute`, `second`, `millisecond`, `ms`. UTC.
Json time_value(std::int64_t ms);

}  // namespace stele::sdk
