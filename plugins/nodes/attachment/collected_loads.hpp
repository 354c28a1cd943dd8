#pragma once

#include "branch/services.hpp"

namespace stele::nodes {

/// Looks after loads: collects what those have left that have come to no end, and counts the
/// binaries of those that are shown.
void define_collection(Services& services);

}  // namespace stele::nodes
