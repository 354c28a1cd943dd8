#include "kernel/storage/backends/leveldb/counter_cache.hpp"

#include <optional>

#include <leveldb/db.h>
#include <leveldb/write_batch.h>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/backends/leveldb/store_error.hpp"

namespace stele::kernel::storage {

bool CounterCache::is_known(std::string_view key, std::uint64_t hash) const {
    const auto found = counters_.find(hash);
    return found != counters_.end() && found->second.key == key;
}

sdk::Result<void> CounterCache::load(std::string_view key, std::uint64_t hash) {
    std::string bytes;
    leveldb::ReadOptions options;
    options.verify_checksums = true;
    const leveldb::Status status = database_.Get(options, {key.data(), key.size()}, &bytes);
    if (!status.ok() && !status.IsNotFound()) return read_error(status, damage_);
    std::optional<std::string> stored;
    if (status.ok()) stored = std::move(bytes);
    counters_[hash] = {std::string(key), sdk::read_counter(stored), false};
    return {};
}

void CounterCache::add(std::uint64_t hash, std::int64_t delta) {
    Counter& counter = counters_.find(hash)->second;
    counter.value = static_cast<std::int64_t>(static_cast<std::uint64_t>(counter.value) +
                                              static_cast<std::uint64_t>(delta));
    if (!counter.is_changed) changed_.push_back(hash);
    counter.is_changed = true;
}

void CounterCache::overwrite(std::string_view key, std::uint64_t hash,
                             const std::string_view* value) {
    const auto found = counters_.find(hash);
    if (found == counters_.end() || found->second.key != key) return;
    const auto is_counter = [](std::string_view bytes) {
        return bytes.size() == sdk::counter_bytes(0).size();
    };
    if (value == nullptr || !is_counter(*value)) {
        counters_.erase(found);
        return;
    }
    // Goes on as a counter, because its last value is written at the end of the batch.
    found->second.value = sdk::read_counter(std::string(*value));
}

void CounterCache::flush(leveldb::WriteBatch& batch) {
    for (const std::uint64_t hash : changed_) {
        const auto found = counters_.find(hash);
        if (found == counters_.end() || !found->second.is_changed) continue;
        batch.Put(found->second.key, sdk::counter_bytes(found->second.value));
        found->second.is_changed = false;
    }
    changed_.clear();
    if (counters_.size() > kMax) counters_.clear();
}

}  // namespace stele::kernel::storage
