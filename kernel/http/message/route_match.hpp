#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stele::kernel::http {

/// What a route leads to: an index into the table of the room `resource`.
using RouteTarget = std::uint32_t;

/// A path that was found. `values` are the placeholders' values in path order, percent-decoded.
struct RouteMatch {
    enum class Kind {
        found,
        path_unknown,
        method_unknown,
        path_malformed
    } kind = Kind::path_unknown;
    RouteTarget target = 0;
    std::vector<std::string> values;
    /// With `method_unknown`: methods for the header `Allow`, separated by ", ".
    std::string allowed;
};

}  // namespace stele::kernel::http
