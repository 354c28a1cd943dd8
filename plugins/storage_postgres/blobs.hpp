#pragma once

#include <memory>

#include <stele/sdk/blob_store.hpp>

#include "pool.hpp"

namespace stele::storage_postgres {

/// Bytes of any size as rows of one size (README.md), streamed both ways. The pool must outlive it.
std::unique_ptr<sdk::BlobStore> open_blobs(Pool& pool);

/// Removes what writers left unfinished so long ago that they are gone.
sdk::Result<void> drop_unfinished_blobs(Pool& pool);

}  // namespace stele::storage_postgres
