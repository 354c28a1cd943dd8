#include "figures.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

namespace stele::meters {

double percentage(std::int64_t count, std::int64_t maximum) {
    if (maximum <= 0) return 0;
    const double part = static_cast<double>(count) / static_cast<double>(maximum);
    return std::clamp(std::round(part * 10000) / 100, 0.0, 100.0);
}

std::int64_t billable(std::int64_t count, std::int64_t allowance) {
    return allowance < 0 ? 0 : std::max<std::int64_t>(0, count - allowance);
}

sdk::Json figures(const sdk::DataStoreSize& raw, const sdk::DataStoreSize& unprocessed,
                  const sdk::PlanLimits& limits) {
    const std::int64_t billed = billable(raw.bytes, limits.allowance);
    return {{"maxByteCount", limits.max},
            {"rawByteCount", raw.bytes},
            {"rawByteCountPercentage", percentage(raw.bytes, limits.max)},
            {"unprocessedByteCount", unprocessed.bytes},
            {"billableByteCount", billed},
            {"billableByteCountPercentage", percentage(billed, limits.max)},
            {"maxObjectCount", -1},
            {"rawObjectCount", raw.objects},
            {"rawObjectCountPercentage", 0.0},
            {"unprocessedObjectCount", unprocessed.objects},
            {"billableObjectCount", 0},
            {"billableObjectCountPercentage", 0.0}};
}

}  // namespace stele::meters
