#include "kernel/storage/check/damage_notes.hpp"

#include <utility>

#include <stele/sdk/log.hpp>

namespace stele::kernel::storage {

void DamageNotes::note(const std::string& place) {
    {
        const std::lock_guard lock(mutex_);
        if (places_.size() >= kMaxPlaces || !places_.insert(place).second) return;
        if (first_.empty()) first_ = place;
    }
    sdk::log(sdk::LogLevel::error, "storage",
             "damage: " + place + "; stop the server, look with stele check, and restore a backup");
}

sdk::Result<void> DamageNotes::status() const {
    const std::lock_guard lock(mutex_);
    if (first_.empty()) return {};
    return sdk::make_error(sdk::ErrorKind::internal, "store.damaged",
                           "The store is damaged: " + first_ + ".");
}

sdk::Error DamageNotes::error(std::string place) {
    return sdk::make_error(sdk::ErrorKind::internal, "store.damaged", "The store is damaged.",
                           std::move(place));
}

}  // namespace stele::kernel::storage
