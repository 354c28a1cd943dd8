#pragma once

#include <stele/sdk/shape.hpp>

namespace stele::nodes {

/// docs/specification/nodes.md 5. With `full=false` no more of it than `_doc`.
sdk::Shape changeset_shape();

}  // namespace stele::nodes
