#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/page.hpp>
#include <stele/sdk/result.hpp>

namespace stele::kernel::pagination {

struct PageLimits {
    std::int64_t default_limit = 1000;
};

/// Reads `skip`, `limit`, `sort` (or its old name `sorting`), `options` and `explain` through
/// `parameter`, which answers the text of a parameter or nothing (docs/specification/interface.md
/// 6; docs/specification/platform.md 1.1 and 1.5; docs/specification/rulings.md). Numbers may be
/// JSON strings. `options` accepts `locale` and `locales`; without either, `numericOrdering` or
/// `caseFirst` are an error, other members are accepted. Fails with one violation per wrong
/// parameter. `names` are those of all parameters, in order: `sort` may come in brackets
/// (`sort[title]=-1`).
sdk::Result<sdk::PageRequest> read_page_parameters(
    const std::function<std::optional<std::string>(std::string_view)>& parameter,
    const PageLimits& limits, const std::vector<std::string>& names = {});

}  // namespace stele::kernel::pagination
