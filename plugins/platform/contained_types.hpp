#pragma once

#include <string_view>
#include <vector>

namespace stele::platform {

/// Type ids that records of a type contain (docs/specification/platform.md 3); null for a type that
/// contains none or does not exist. What clients offer for export and import, whatever plugins are
/// enabled.
const std::vector<std::string_view>* contained_types(std::string_view type);

}  // namespace stele::platform
