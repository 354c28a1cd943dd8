#include "batch.hpp"

#include <algorithm>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/optimistic/key_hash.hpp>

namespace stele::storage_postgres {

namespace {

using sdk::optimistic::hash_key;
using sdk::optimistic::is_inside;

constexpr std::size_t kPartBytes = 8 * 1024 * 1024;

}  // namespace

void Batch::keep_counters(Rows rows) {
    for (int row = 0; row < rows.size(); ++row)
        counters_[rows.bytes(row, 0)] = sdk::read_counter(std::string(rows.bytes(row, 1)));
    counter_rows_.push_back(std::move(rows));
}

void Batch::keep_counter(std::string_view key, const std::string& value) {
    counters_[key] = sdk::read_counter(value);
}

bool Batch::has_conflict(const sdk::optimistic::ReadSet& reads) const {
    if (values_.empty()) return false;
    const auto is_written = [this](std::uint64_t hash) { return hashes_.contains(hash); };
    if (std::any_of(reads.keys().begin(), reads.keys().end(), is_written)) return true;
    return std::any_of(reads.ranges().begin(), reads.ranges().end(), [this](const auto& range) {
        if (range.is_empty) return false;
        const auto at = values_.lower_bound(range.begin);
        return at != values_.end() && (range.end.empty() || at->first < range.end);
    });
}

bool Batch::fits_bounds(const WriteSet& writes) const {
    return std::all_of(writes.writes().begin(), writes.writes().end(), [this](const auto& entry) {
        const auto& [key, write] = entry;
        return write.kind != WriteSet::Kind::add || write.delta <= 0 ||
               counter(key) <= write.most - write.delta;
    });
}

sdk::optimistic::Stamps Batch::add(const WriteSet& writes, std::size_t first_range) {
    sdk::optimistic::Stamps stamps;
    for (const auto& [name, taken] : writes.stamp_counters()) {
        stamps.emplace_back(
            name, sdk::optimistic::first_taken(counter(name) + writes.find(name)->delta, taken));
    }
    for (const sdk::KeyRange& range : writes.removed_ranges())
        remove_range(range, ranges_[first_range++]);
    for (const auto& [key, write] : writes.writes()) {
        if (write.kind == WriteSet::Kind::remove) {
            remove(key, write.hash);
            continue;
        }
        if (write.stamped != nullptr) {
            put_stamped(key, write, stamps);
            continue;
        }
        const std::int64_t sum = write.kind == WriteSet::Kind::add ? counter(key) + write.delta : 0;
        Value& value = values_[key];
        hashes_.insert(write.hash);
        value.is_put = true;
        value.is_own = write.kind == WriteSet::Kind::add;
        if (value.is_own) {
            value.own = sdk::counter_bytes(sum);
        } else {
            value.borrowed = write.value;
        }
    }
    return stamps;
}

void Batch::put_stamped(std::string_view key, const WriteSet::Write& write,
                        const sdk::optimistic::Stamps& stamps) {
    std::string key_bytes;
    std::string value_bytes;
    const WriteSet::StampedEntry entry =
        WriteSet::write_stamp(key, write, stamps, key_bytes, value_bytes);
    hashes_.insert(entry.hash);
    Value& value = values_[stamped_keys_.emplace_back(entry.key)];
    value.is_put = value.is_own = true;
    value.own = entry.value;
}

std::int64_t Batch::counter(std::string_view key) const {
    const auto written = values_.find(key);
    if (written != values_.end()) {
        if (!written->second.is_put) return 0;
        return sdk::read_counter(std::string(written->second.bytes()));
    }
    const auto stored = counters_.find(key);
    return stored == counters_.end() ? 0 : stored->second;
}

void Batch::remove(std::string_view key, std::uint64_t hash) {
    hashes_.insert(hash);
    Value& value = values_[key];
    value.is_put = value.is_own = false;
}

void Batch::remove_range(const sdk::KeyRange& range, const Rows& stored) {
    for (auto at = values_.lower_bound(range.begin);
         at != values_.end() && is_inside(at->first, range.begin, range.end); ++at)
        at->second.is_put = at->second.is_own = false;
    for (int row = 0; row < stored.size(); ++row) {
        const std::string_view key = stored.bytes(row, 0);
        remove(key, hash_key(key));
    }
}

std::vector<std::string_view> Batch::keys() const {
    std::vector<std::string_view> keys;
    keys.reserve(values_.size());
    for (const auto& [key, value] : values_)
        keys.push_back(key);
    return keys;
}

std::optional<std::string_view> Batch::value(std::string_view key) const {
    const auto found = values_.find(key);
    if (found == values_.end() || !found->second.is_put) return std::nullopt;
    return found->second.bytes();
}

std::vector<Batch::Puts> Batch::puts() const {
    std::vector<Puts> parts;
    std::size_t size = kPartBytes;
    for (const auto& [key, value] : values_) {
        if (!value.is_put) continue;
        if (size >= kPartBytes) {
            parts.emplace_back();
            size = 0;
        }
        parts.back().keys.push_back(key);
        parts.back().values.push_back(value.bytes());
        size += key.size() + value.bytes().size();
    }
    return parts;
}

std::vector<std::string_view> Batch::removed() const {
    std::vector<std::string_view> keys;
    for (const auto& [key, value] : values_)
        if (!value.is_put) keys.push_back(key);
    return keys;
}

}  // namespace stele::storage_postgres
