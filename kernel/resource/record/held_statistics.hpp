#pragma once

#include <memory>
#include <mutex>
#include <set>

#include <stele/sdk/principal.hpp>

namespace stele::kernel::resource {

/// Data stores whose statistics nobody takes for now, because a transaction that takes long writes
/// into them (`sdk::DataStores::hold_statistics`). Any thread.
class HeldStatistics {
public:
    HeldStatistics() : held_(std::make_shared<Held>()) {}

    /// Until what it answers is gone, which may outlive this.
    std::shared_ptr<const void> hold(const sdk::RecordKey& store) {
        const std::lock_guard lock(held_->mutex);
        const auto at = held_->stores.insert(store);
        return {nullptr, [held = held_, at](const void*) {
                    const std::lock_guard unlocking(held->mutex);
                    held->stores.erase(at);
                }};
    }
    bool is_held(const sdk::RecordKey& store) const {
        const std::lock_guard lock(held_->mutex);
        return held_->stores.contains(store);
    }

private:
    struct Held {
        std::mutex mutex;
        std::multiset<sdk::RecordKey> stores;
    };

    std::shared_ptr<Held> held_;
};

}  // namespace stele::kernel::resource
