#pragma once

#include "branch/services.hpp"

namespace stele::nodes {

/// Defines the job that removes what a removed repository held, some rows at a time.
void define_sweep(Services& services);

/// Starts that job for a repository that is being removed.
sdk::Result<void> sweep_later(Services& services, sdk::Context& context,
                              const sdk::RecordKey& repository);

}  // namespace stele::nodes
