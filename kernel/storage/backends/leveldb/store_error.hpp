#pragma once

#include <stele/sdk/error.hpp>

namespace leveldb {
class Status;
}

namespace stele::kernel::storage {

/// What a failed read of LevelDB means to a caller.
sdk::Error read_error(const leveldb::Status& status);

}  // namespace stele::kernel::storage
