#include <stele/sdk/optimistic/write_set.hpp>

#include <algorithm>
#include <cstring>

#include <stele/sdk/optimistic/key_hash.hpp>

namespace stele::sdk::optimistic {

namespace {

/// What has a place for the stamp is written into `memory`.
std::string_view stamped_or_same(std::string_view bytes, const std::optional<StampPlace>& place,
                                 std::uint64_t stamp, std::string& memory) {
    if (!place) return bytes;
    memory.assign(bytes);
    stamp_bytes(memory, *place, stamp);
    return memory;
}

}  // namespace

std::optional<std::uint64_t> find_stamp(const Stamps& stamps, std::string_view counter) {
    const auto found = std::find_if(stamps.begin(), stamps.end(),
                                    [&](const auto& stamp) { return stamp.first == counter; });
    if (found == stamps.end()) return std::nullopt;
    return found->second;
}

void WriteSet::put(std::string_view key, std::string_view value) {
    put_in(write_of(key), value);
}

void WriteSet::put_in(Write& write, std::string_view value) {
    write.kind = Kind::put;
    write.value = keep(value);
    write.stamped = nullptr;
    size_ += value.size();
    ++puts_;
}

void WriteSet::put_stamped(std::string_view counter, const StampedPut& put) {
    auto known = std::find_if(stamp_counters_.begin(), stamp_counters_.end(),
                              [&](const StampCounter& taken) { return taken.name == counter; });
    if (known == stamp_counters_.end())
        known = stamp_counters_.insert(known, StampCounter{keep(counter), 0});
    if (known->taken <= put.step) {
        add(counter, static_cast<std::int64_t>(put.step + 1 - known->taken));
        known->taken = put.step + 1;
    }
    const std::uint64_t seen = std::numeric_limits<std::uint64_t>::max() - put.step;
    Write& write = write_of(stamped_or_same(put.key, put.in_key, seen, stamped_memory_));
    put_in(write, stamped_or_same(put.value, put.in_value, seen, stamped_memory_));
    write.stamped =
        &stamped_.emplace_back(Stamped{known->name, put.in_key, put.in_value, put.step});
}

WriteSet::StampedEntry WriteSet::write_stamp(std::string_view key, const Write& write,
                                             const Stamps& stamps, std::string& key_bytes,
                                             std::string& value_bytes) {
    const Stamped& stamped = *write.stamped;
    const std::uint64_t number = *find_stamp(stamps, stamped.counter) + stamped.step;
    StampedEntry entry;
    entry.key = stamped_or_same(key, stamped.in_key, number, key_bytes);
    entry.value = stamped_or_same(write.value, stamped.in_value, number, value_bytes);
    entry.hash = stamped.in_key ? hash_key(entry.key) : write.hash;
    return entry;
}

void WriteSet::remove(std::string_view key) {
    Write& write = write_of(key);
    write.kind = Kind::remove;
    write.value = {};
    write.stamped = nullptr;
}

void WriteSet::remove_range(KeyRange range) {
    if (!range.end.empty() && range.begin >= range.end) return;
    // Kept as removals, so that cursors that stand on them stay where they are.
    for (auto at = writes_.lower_bound(range.begin);
         at != writes_.end() && is_inside(at->first, range.begin, range.end); ++at) {
        at->second.kind = Kind::remove;
        at->second.value = {};
        at->second.stamped = nullptr;
    }
    size_ += range.begin.size() + range.end.size();
    removed_ranges_.push_back(std::move(range));
}

void WriteSet::add(std::string_view key, std::int64_t delta) {
    const std::size_t known = writes_.size();
    Writes::value_type& entry = entry_of(key);
    const bool is_new = writes_.size() > known;
    Write& write = entry.second;
    if (is_new && removed_range_of(key) == nullptr) {
        write.kind = Kind::add;
        write.delta = delta;
        size_ += sizeof(delta);
        counters_.push_back(&entry);
    } else if (write.kind == Kind::add) {
        write.delta = static_cast<std::int64_t>(static_cast<std::uint64_t>(write.delta) +
                                                static_cast<std::uint64_t>(delta));
    } else {
        // Behind an own put or removal the counter's value is known.
        std::optional<std::string> before;
        if (write.kind == Kind::put && !is_new) before.emplace(write.value);
        write.kind = Kind::put;
        write.stamped = nullptr;
        set_counter(write, counter_bytes(read_counter(before) + delta));
    }
}

/// In the place of the former one: counters change with every record of a large import.
void WriteSet::set_counter(Write& write, std::string_view bytes) {
    if (write.value.size() == bytes.size()) {
        // Memory of our own (`keep`), which nobody else writes to.
        std::memcpy(const_cast<char*>(write.value.data()), bytes.data(), bytes.size());
        return;
    }
    write.value = keep(bytes);
    size_ += bytes.size();
}

void WriteSet::add_within(std::string_view key, std::int64_t delta, std::int64_t most) {
    add(key, delta);
    Write& write = write_of(key);
    write.most = std::min(write.most, most);
}

const WriteSet::Write* WriteSet::find(std::string_view key) const {
    if (writes_.empty()) return nullptr;
    const auto found = writes_.find(key);
    return found == writes_.end() ? nullptr : &found->second;
}

const KeyRange* WriteSet::removed_range_of(std::string_view key) const {
    for (const KeyRange& range : removed_ranges_)
        if (is_inside(key, range.begin, range.end)) return &range;
    return nullptr;
}

bool WriteSet::writes_inside(std::string_view begin, std::string_view end) const {
    if (writes_.empty() || writes_.rbegin()->first < begin) return false;
    if (!end.empty() && writes_.begin()->first >= end) return false;
    const auto at = writes_.lower_bound(begin);
    return at != writes_.end() && (end.empty() || at->first < end);
}

std::string_view WriteSet::keep(std::string_view bytes) {
    if (bytes.empty()) return {};
    auto* copy = static_cast<char*>(memory_.allocate(bytes.size(), 1));
    std::memcpy(copy, bytes.data(), bytes.size());
    return {copy, bytes.size()};
}

WriteSet::Writes::value_type& WriteSet::entry_of(std::string_view key) {
    const auto at = writes_.lower_bound(key);
    if (at != writes_.end() && at->first == key) return *at;
    Write write;
    write.hash = hash_key(key);
    size_ += key.size();
    return *writes_.emplace_hint(at, keep(key), write);
}

}  // namespace stele::sdk::optimistic
