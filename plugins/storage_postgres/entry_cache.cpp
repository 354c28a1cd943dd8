#include "entry_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "keys.hpp"

namespace stele::storage_postgres {

namespace {

// What the containers and the allocator add.
constexpr std::size_t kAroundPart = 192;
constexpr std::size_t kAroundEntry = 96;

std::size_t bytes_of(std::string_view key, std::string_view value) {
    return kAroundEntry + key.size() + value.size();
}

std::size_t bytes_around(std::string_view begin, std::string_view end) {
    return kAroundPart + begin.size() + end.size();
}

std::size_t bytes_of(std::string_view begin, std::string_view end,
                     const std::vector<Entry>& entries) {
    std::size_t bytes = bytes_around(begin, end);
    for (const Entry& entry : entries)
        bytes += bytes_of(entry.key, entry.value);
    return bytes;
}

bool is_below(const Entry& entry, std::string_view key) {
    return entry.key < key;
}

}  // namespace

std::vector<Entry>::iterator EntryCache::Part::at_or_above(std::string_view key) {
    return std::lower_bound(entries.begin(), entries.end(), key, is_below);
}

EntryCache::Parts::iterator EntryCache::part_of(std::string_view key) {
    const auto above = parts_.upper_bound(key);
    if (above == parts_.begin()) return parts_.end();
    const auto part = std::prev(above);
    return key < part->second.end ? part : parts_.end();
}

EntryCache::Parts::iterator EntryCache::part_below(std::string_view end) {
    const auto above = parts_.lower_bound(end);
    if (above == parts_.begin()) return parts_.end();
    const auto part = std::prev(above);
    return end <= part->second.end ? part : parts_.end();
}

std::optional<bool> EntryCache::find(std::string_view key, std::uint64_t version,
                                     std::string& value) {
    const std::lock_guard lock(mutex_);
    const auto found = part_of(key);
    if (found == parts_.end() || found->second.since > version) return std::nullopt;
    Part& part = found->second;
    part.is_used = true;
    const auto entry = part.at_or_above(key);
    if (entry == part.entries.end() || entry->key != key) return false;
    value.assign(entry->value);
    return true;
}

std::optional<EntryCache::Stretch> EntryCache::find_range(const sdk::KeyRange& range,
                                                          sdk::ScanDirection direction,
                                                          std::uint64_t version, std::size_t most) {
    const bool is_forward = direction == sdk::ScanDirection::forward;
    Stretch stretch{{}, range};
    std::string& reached = is_forward ? stretch.covered.end : stretch.covered.begin;
    reached = is_forward ? range.begin : range.end;
    bool is_known = false;
    const std::lock_guard lock(mutex_);
    while (is_forward ? reached < range.end : reached > range.begin) {
        const auto found = is_forward ? part_of(reached) : part_below(reached);
        if (found == parts_.end() || found->second.since > version) break;
        is_known = true;
        Part& part = found->second;
        part.is_used = true;
        const std::string& low = is_forward ? reached : std::max(found->first, range.begin);
        const std::string& high = is_forward ? std::min(part.end, range.end) : reached;
        auto first = part.at_or_above(low);
        auto last = part.at_or_above(high);
        const auto room = static_cast<std::ptrdiff_t>(most - stretch.entries.size());
        const bool is_full = last - first >= room;
        if (is_full) (is_forward ? last : first) = is_forward ? first + room : last - room;
        if (is_forward) {
            stretch.entries.insert(stretch.entries.end(), first, last);
        } else {
            stretch.entries.insert(stretch.entries.end(), std::make_reverse_iterator(last),
                                   std::make_reverse_iterator(first));
        }
        if (is_full) {
            reached =
                is_forward ? just_above(stretch.entries.back().key) : stretch.entries.back().key;
            break;
        }
        reached = is_forward ? std::string(high) : std::string(low);
    }
    if (!is_known) return std::nullopt;
    return stretch;
}

void EntryCache::keep(std::string_view key, std::optional<std::string_view> value,
                      std::uint64_t version) {
    std::vector<Entry> entries;
    if (value) entries.push_back({std::string(key), std::string(*value)});
    keep({std::string(key), just_above(key)}, std::move(entries), version);
}

void EntryCache::keep(sdk::KeyRange range, std::vector<Entry> entries, std::uint64_t version) {
    const auto is_large = [](const Entry& entry) { return entry.value.size() > kMaxValueBytes; };
    if (std::any_of(entries.begin(), entries.end(), is_large)) return;
    // What walks over much passes by, and drives nothing out.
    if (bytes_of(range.begin, range.end, entries) > kMaxPartBytes) return;
    const std::lock_guard lock(mutex_);
    if (const auto before = part_of(range.begin); before != parts_.end()) {
        if (before->first != range.begin || before->second.end > range.end)
            range.begin = before->second.end;
    }
    for (auto at = parts_.lower_bound(range.begin); at != parts_.end() && at->first < range.end;) {
        if (at->second.end > range.end) {
            range.end = at->first;
        } else {
            at = erase(at);
        }
    }
    if (range.begin >= range.end) return;
    entries.erase(std::lower_bound(entries.begin(), entries.end(), range.end, is_below),
                  entries.end());
    entries.erase(entries.begin(),
                  std::lower_bound(entries.begin(), entries.end(), range.begin, is_below));
    Part part{std::move(range.end), version, std::move(entries)};
    part.bytes = bytes_of(range.begin, part.end, part.entries);
    if (part.bytes > kMaxPartBytes) return;
    insert(std::move(range.begin), std::move(part));
    make_room();
}

void EntryCache::put(std::string_view key, std::string_view value, std::uint64_t version,
                     bool may_add) {
    const bool is_large = value.size() > kMaxValueBytes;
    std::unique_lock lock(mutex_);
    const auto found = part_of(key);
    if (found == parts_.end()) {
        lock.unlock();
        if (may_add && !is_large) keep(key, value, version);
        return;
    }
    Part& part = found->second;
    const std::size_t bytes = bytes_of(key, value);
    if (is_large || part.bytes + bytes > kMaxPartBytes) return cut(found, key);
    take_out(part, key);
    part.entries.insert(part.at_or_above(key), {std::string(key), std::string(value)});
    part.since = version;
    part.bytes += bytes;
    bytes_ += bytes;
    make_room();
}

void EntryCache::remove(std::string_view key, std::uint64_t version) {
    const std::lock_guard lock(mutex_);
    const auto found = part_of(key);
    if (found == parts_.end()) return;
    take_out(found->second, key);
    found->second.since = version;
}

void EntryCache::take_out(Part& part, std::string_view key) {
    const auto entry = part.at_or_above(key);
    if (entry == part.entries.end() || entry->key != key) return;
    const std::size_t bytes = bytes_of(entry->key, entry->value);
    part.entries.erase(entry);
    part.bytes -= bytes;
    bytes_ -= bytes;
}

void EntryCache::forget(std::string_view key) {
    const std::lock_guard lock(mutex_);
    const auto found = part_of(key);
    if (found != parts_.end()) cut(found, key);
}

void EntryCache::cut(Parts::iterator part, std::string_view key) {
    std::string begin = part->first;
    Part below = std::move(part->second);
    erase(part);
    Part above{std::move(below.end), below.since, {}, 0, below.is_used};
    std::string above_begin = just_above(key);
    const auto entry = below.at_or_above(key);
    const bool is_there = entry != below.entries.end() && entry->key == key;
    above.entries.assign(std::make_move_iterator(is_there ? std::next(entry) : entry),
                         std::make_move_iterator(below.entries.end()));
    below.entries.erase(entry, below.entries.end());
    below.end = key;
    if (begin < below.end) {
        below.bytes = bytes_of(begin, below.end, below.entries);
        insert(std::move(begin), std::move(below));
    }
    if (above_begin < above.end) {
        above.bytes = bytes_of(above_begin, above.end, above.entries);
        insert(std::move(above_begin), std::move(above));
    }
    make_room();
}

void EntryCache::insert(std::string begin, Part part) {
    bytes_ += part.bytes;
    parts_.emplace(std::move(begin), std::move(part));
}

EntryCache::Parts::iterator EntryCache::erase(Parts::iterator part) {
    bytes_ -= part->second.bytes;
    return parts_.erase(part);
}

void EntryCache::make_room() {
    while (bytes_ > most_bytes_) {
        auto part = parts_.lower_bound(hand_);
        if (part == parts_.end()) part = parts_.begin();
        part = std::exchange(part->second.is_used, false) ? std::next(part) : erase(part);
        hand_ = part == parts_.end() ? std::string() : part->first;
    }
}

void EntryCache::forget_everything() {
    const std::lock_guard lock(mutex_);
    parts_.clear();
    bytes_ = 0;
}

std::size_t EntryCache::memory() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace stele::storage_postgres
