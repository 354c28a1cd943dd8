#pragma once

#include <string>

#include <stele/sdk/context.hpp>

#include "services.hpp"

namespace stele::releases {

void define_publication(const ReleaseServices& services);

/// Starts the job that brings a release to the master at a time, for whoever acts; its id.
sdk::Result<std::string> start_publication(const ReleaseServices& services, sdk::Context& context,
                                           const std::string& repository,
                                           const std::string& release, std::int64_t start_ms);

/// Merges a finalized release into the master, in the context's transaction: members that the
/// release gets then. Conflicts become records that people decide, and it is not released.
sdk::Result<sdk::Json> publish(const ReleaseServices& services, sdk::Context& context,
                               const std::string& repository, const sdk::Json& release);

}  // namespace stele::releases
