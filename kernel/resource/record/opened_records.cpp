#include "kernel/resource/record/opened_records.hpp"

#include <functional>
#include <utility>

namespace stele::kernel::resource {

std::shared_ptr<const sdk::Document> OpenedRecords::find(const sdk::RecordKey& key,
                                                         std::string_view stored) {
    Slot& slot = slot_of(key);
    const std::lock_guard lock(slot.mutex);
    const bool is_known = slot.document && slot.document->key == key && slot.stored == stored;
    return is_known ? slot.document : nullptr;
}

void OpenedRecords::keep(std::string_view stored, std::shared_ptr<const sdk::Document> document) {
    if (stored.size() > kMaxStoredBytes) return;
    Slot& slot = slot_of(document->key);
    const std::lock_guard lock(slot.mutex);
    slot.stored.assign(stored);
    std::swap(slot.document, document);  // the former one is destroyed after the lock is gone
}

OpenedRecords::Slot& OpenedRecords::slot_of(const sdk::RecordKey& key) {
    return slots_[std::hash<std::string_view>()(key) % kSlots];
}

}  // namespace stele::kernel::resource
