#include "kernel/storage/backends/leveldb/store_error.hpp"

#include <leveldb/status.h>

#include "kernel/storage/backends/leveldb/table_env.hpp"

namespace stele::kernel::storage {

sdk::Error read_error(const leveldb::Status& status, DamageNotes& damage) {
    if (status.IsCorruption()) {
        const std::string place = TableEnv::locate_damage() + " (" + status.ToString() + ")";
        damage.note(place);
        return DamageNotes::error(place);
    }
    return sdk::make_error(sdk::ErrorKind::unavailable, "engine.read_failed",
                           "The store cannot be read at the moment.", status.ToString());
}

}  // namespace stele::kernel::storage
