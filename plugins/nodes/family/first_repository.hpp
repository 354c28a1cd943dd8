#pragma once

#include <stele/sdk/context.hpp>

namespace stele::nodes {

/// Makes the repository `default` on a platform that has no repository: a fresh one, or one of a
/// store that was made before the server gave repositories away. Whoever has others keeps these
/// alone; whoever removes it gets it back only by a repeated `init` of a platform without any.
sdk::Result<void> install_repository(sdk::Context& context);

}  // namespace stele::nodes
