#pragma once

#include <stele/sdk/result.hpp>

#include "options.hpp"

namespace stele::storage_postgres {

/// Waits for the database, judges whether it is fit, and makes schema and tables where they are
/// missing. Every failure is a sentence for the operator.
sdk::Result<void> prepare_store(const Options& options);

}  // namespace stele::storage_postgres
