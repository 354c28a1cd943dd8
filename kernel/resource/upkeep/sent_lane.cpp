#include "kernel/resource/upkeep/sent_lane.hpp"

namespace stele::kernel::resource {

SentLane::Cell& SentLane::cell_of(std::uint64_t platform) {
    const std::lock_guard lock(mutex_);
    return cells_.try_emplace(platform, platform).first->second;
}

void SentLane::take(Sizes& sizes) {
    const std::lock_guard lock(mutex_);
    for (auto& [platform, cell] : cells_) {
        const sdk::DataStoreSize sent{static_cast<std::int64_t>(cell.replies.value()),
                                      static_cast<std::int64_t>(cell.bytes.value())};
        if (sent == cell.taken) continue;
        sdk::DataStoreSize& size = sizes[platform];
        size.objects += sent.objects - cell.taken.objects;
        size.bytes += sent.bytes - cell.taken.bytes;
        cell.taken = sent;
    }
}

}  // namespace stele::kernel::resource
