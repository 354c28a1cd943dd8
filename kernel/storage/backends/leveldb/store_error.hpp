#pragma once

#include <stele/sdk/error.hpp>

#include "kernel/storage/check/damage_notes.hpp"

namespace leveldb {
class Status;
}

namespace stele::kernel::storage {

/// What a failed read of LevelDB means to a caller; on the thread that read. Damage is noted.
sdk::Error read_error(const leveldb::Status& status, DamageNotes& damage);

}  // namespace stele::kernel::storage
