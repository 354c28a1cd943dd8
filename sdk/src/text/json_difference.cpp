#include <stele/sdk/json_difference.hpp>

#include <algorithm>
#include <cstddef>

#include <nlohmann/json.hpp>

namespace stele::sdk {

namespace {

/// Up to so many, members are found fast enough one after another.
constexpr std::size_t kFewMembers = 256;

bool is_wide(const Json& value) {
    if (!value.is_structured()) return false;
    if (value.is_object() && value.size() > kFewMembers) return true;
    return std::any_of(value.begin(), value.end(), is_wide);
}

}  // namespace

Json json_difference(const Json& before, const Json& after) {
    if (!is_wide(before) && !is_wide(after)) return Json::diff(before, after);
    // Sorted members are found by halving; order is no part of a difference.
    return Json(nlohmann::json::diff(nlohmann::json(before), nlohmann::json(after)));
}

}  // namespace stele::sdk
