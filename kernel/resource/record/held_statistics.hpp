#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>

#include <stele/sdk/principal.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::resource {

/// Data stores whose statistics nobody takes for now, because a transaction that takes long writes
/// into them (`sdk::DataStores::hold_statistics`). Any thread.
class HeldStatistics {
public:
    HeldStatistics() : held_(std::make_shared<Held>()) {}

    /// Until what it answers is gone, which may outlive this. Waits until those are written that
    /// somebody takes now.
    std::shared_ptr<const void> hold(const sdk::RecordKey& store) {
        return hold(&Held::stores, store);
    }
    /// All of the platform, those that come to be meanwhile included.
    std::shared_ptr<const void> hold_all(std::uint64_t platform) {
        return hold(&Held::platforms, platform);
    }
    /// To be kept while the statistics of a store are taken; one that owns nothing while they are
    /// held.
    std::shared_lock<std::shared_mutex> begin_taking(const sdk::RecordKey& store) {
        std::shared_lock taking(held_->taking);
        if (is_held(store)) return {};
        return taking;
    }

private:
    struct Held {
        std::shared_mutex taking;
        std::mutex mutex;  ///< of what follows; nobody waits for `taking` with it
        std::multiset<sdk::RecordKey> stores;
        std::multiset<std::uint64_t> platforms;
    };

    bool is_held(const sdk::RecordKey& store) const {
        const std::lock_guard lock(held_->mutex);
        return held_->stores.contains(store) ||
               held_->platforms.contains(storage::collection_of(store).platform);
    }
    template <class Item>
    std::shared_ptr<const void> hold(std::multiset<Item> Held::*items, const Item& item) {
        std::unique_lock lock(held_->mutex);
        const auto at = ((*held_).*items).insert(item);
        lock.unlock();
        std::shared_ptr<const void> holding(nullptr, [held = held_, items, at](const void*) {
            const std::lock_guard unlocking(held->mutex);
            ((*held).*items).erase(at);
        });
        const std::unique_lock none_is_taken(held_->taking);
        return holding;
    }

    std::shared_ptr<Held> held_;
};

}  // namespace stele::kernel::resource
