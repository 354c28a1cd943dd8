#pragma once

#include <cstdint>

#include <stele/sdk/json.hpp>
#include <stele/sdk/services/tenants.hpp>
#include <stele/sdk/services/usage.hpp>

namespace stele::meters {

/// Part of `count` in `maximum`, 0 to 100, with two decimals; 0 without a maximum (-1 or 0).
double percentage(std::int64_t count, std::int64_t maximum);

/// What of `count` exceeds the allowance; nothing when that has no limit.
std::int64_t billable(std::int64_t count, std::int64_t allowance);

/// The members of a meter that are figures (docs/specification/interface.md 3.6). Plans know no
/// limits of objects.
sdk::Json figures(const sdk::DataStoreSize& raw, const sdk::DataStoreSize& unprocessed,
                  const sdk::PlanLimits& limits);

}  // namespace stele::meters
