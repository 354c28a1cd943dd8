#include "kernel/storage/backends/leveldb/row_cache.hpp"

#include <utility>

namespace stele::kernel::storage {

using sdk::optimistic::hash_key;

std::optional<bool> RowCache::find(std::string_view key, std::uint64_t version,
                                   std::string& value) {
    if (shard_bytes_ == 0) return std::nullopt;
    const std::uint64_t hash = hash_key(key);
    Shard& shard = shard_of(hash);
    const std::lock_guard lock(shard.mutex);
    Row* const row = shard.row(key, hash);
    if (row == nullptr || row->since > version) return std::nullopt;
    row->is_used = true;
    if (row->state == State::absent) return false;
    value.assign(row->value());
    return true;
}

void RowCache::keep(std::string_view key, std::uint64_t version,
                    std::optional<std::string_view> value) {
    if (value && value->size() > kMaxValueBytes) return;
    Row row;
    row.bytes.reserve(key.size() + (value ? value->size() : 0));
    row.bytes.append(key).append(value.value_or(std::string_view()));
    row.hash = hash_key(key);
    row.key_size = static_cast<std::uint32_t>(key.size());
    row.state = value ? State::present : State::absent;
    const std::size_t memory = row.memory();
    if (memory > shard_bytes_) return;

    Shard& shard = shard_of(row.hash);
    const std::lock_guard lock(shard.mutex);
    row.since = shard.last_written(row.hash);
    if (row.since > version) return;
    if (const auto known = shard.places.find(row.hash); known != shard.places.end())
        shard.drop(shard.rows[known->second]);
    shard.make_room(memory, shard_bytes_);
    shard.insert(std::move(row));
}

void RowCache::forget(std::string_view key, std::uint64_t version) {
    if (shard_bytes_ == 0) return;
    const std::uint64_t hash = hash_key(key);
    Shard& shard = shard_of(hash);
    const std::lock_guard lock(shard.mutex);
    shard.last_written(hash) = version;
    if (Row* const row = shard.row(key, hash)) shard.drop(*row);
}

void RowCache::forget_everything(std::uint64_t version) {
    for (Shard& shard : shards_) {
        const std::lock_guard lock(shard.mutex);
        shard.written.fill(version);
        for (Row& row : shard.rows)
            if (row.state != State::empty) shard.drop(row);
    }
}

std::size_t RowCache::Row::memory() const {
    // What the map, the allocator and the rounding of both add.
    constexpr std::size_t kAround = 64;
    return sizeof(Row) + kAround + bytes.size();
}

std::uint64_t& RowCache::Shard::last_written(std::uint64_t hash) {
    return written[(hash >> 16) % kStripes];
}

RowCache::Row* RowCache::Shard::row(std::string_view key, std::uint64_t hash) {
    const auto place = places.find(hash);
    if (place == places.end()) return nullptr;
    Row& found = rows[place->second];
    return found.key() == key ? &found : nullptr;
}

void RowCache::Shard::insert(Row row) {
    if (holes.empty()) {
        holes.push_back(static_cast<std::uint32_t>(rows.size()));
        rows.emplace_back();
    }
    const std::uint32_t place = holes.back();
    holes.pop_back();
    memory += row.memory();
    places[row.hash] = place;
    rows[place] = std::move(row);
}

void RowCache::Shard::drop(Row& row) {
    memory -= row.memory();
    places.erase(row.hash);
    holes.push_back(static_cast<std::uint32_t>(&row - rows.data()));
    row = Row();
}

void RowCache::Shard::make_room(std::size_t bytes, std::size_t most) {
    while (memory + bytes > most) {
        Row& row = rows[hand];
        hand = (hand + 1) % rows.size();
        if (row.state == State::empty) continue;
        if (!std::exchange(row.is_used, false)) drop(row);
    }
}

}  // namespace stele::kernel::storage
