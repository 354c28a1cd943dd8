#pragma once

#include <memory>

#include <stele/sdk/blob_store.hpp>

#include "pool.hpp"

namespace stele::storage_postgres {

/// Bytes of any size as rows of one size (README.md), streamed both ways. The pool must outlive it.
std::unique_ptr<sdk::BlobStore> open_blobs(Pool& pool);

/// Gives up what writers left unfinished so long ago that they are gone.
sdk::Result<void> give_up_old_uploads(Pool& pool);

/// Deletes one page of the pieces of a removed blob or of an upload that was given up; false when
/// there are none that no other server is at.
sdk::Result<bool> clear_unwanted_pieces(Pool& pool);

}  // namespace stele::storage_postgres
