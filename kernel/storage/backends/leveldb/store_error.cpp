#include "kernel/storage/backends/leveldb/store_error.hpp"

#include <leveldb/status.h>

namespace stele::kernel::storage {

sdk::Error read_error(const leveldb::Status& status) {
    if (status.IsCorruption()) {
        return sdk::make_error(sdk::ErrorKind::internal, "engine.store_damaged",
                               "The store is damaged.", status.ToString());
    }
    return sdk::make_error(sdk::ErrorKind::unavailable, "engine.read_failed",
                           "The store cannot be read at the moment.", status.ToString());
}

}  // namespace stele::kernel::storage
