#pragma once

#include <memory>

#include <stele/sdk/engine.hpp>

#include "options.hpp"

namespace stele::storage_postgres {

/// An engine over PostgreSQL (README.md), which any number of servers may share. Makes schema and
/// tables where they are missing.
sdk::Result<std::unique_ptr<sdk::Engine>> open_postgres(const Options& options);

}  // namespace stele::storage_postgres
