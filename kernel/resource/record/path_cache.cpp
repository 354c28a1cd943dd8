#include "kernel/resource/record/path_cache.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace stele::kernel::resource {

std::shared_ptr<const TargetPath> PathCache::find(const Name& name, std::uint64_t state) {
    Slot& slot = slot_of(name);
    const std::lock_guard lock(slot.mutex);
    return slot.state == state && slot.holds(name) ? slot.path : nullptr;
}

void PathCache::keep(const Name& name, std::uint64_t state,
                     std::shared_ptr<const TargetPath> path) {
    Slot& slot = slot_of(name);
    const std::lock_guard lock(slot.mutex);
    std::swap(slot.path, path);  // the former one is destroyed after the lock is gone
    slot.state = state;
    if (slot.holds(name)) return;
    slot.platform = name.platform;
    slot.family = name.family;
    slot.ids.assign(name.ids.begin(), name.ids.end());
}

bool PathCache::Slot::holds(const Name& name) const {
    return platform == name.platform && family == name.family &&
           std::equal(ids.begin(), ids.end(), name.ids.begin(), name.ids.end());
}

PathCache::Slot& PathCache::slot_of(const Name& name) {
    std::size_t hash = std::hash<const void*>()(name.family) ^ name.platform;
    for (const std::string& id : name.ids)
        hash = hash * 31 + std::hash<std::string_view>()(id);
    return slots_[hash % kSlots];
}

}  // namespace stele::kernel::resource
