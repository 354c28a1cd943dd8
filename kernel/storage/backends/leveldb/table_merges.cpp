#include "kernel/storage/backends/leveldb/table_merges.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>
#include <utility>

namespace stele::kernel::storage {

namespace {

using Range = RemovedKeys::Range;

constexpr std::chrono::milliseconds kBetweenLooks{1};

Range keys_of(const StoreTable& table) {
    return {table.first, table.last};
}

bool overlaps(const StoreTable& table, const Range& range) {
    return table.first <= range.second && table.last >= range.first;
}

Range shared(const Range& a, const Range& b) {
    return {std::max(a.first, b.first), std::min(a.second, b.second)};
}

/// The key that follows the first of a range, if it lies in there: almost never one that is stored.
void add_absent(const Range& range, std::vector<std::string>& absent) {
    std::string key = range.first + '\0';
    if (key <= range.second) absent.push_back(std::move(key));
}

/// All that LevelDB takes with a table: fresh ones overlap one another.
std::uint64_t merged_bytes(const StoreTables& tables, const StoreTable& table) {
    Range keys = keys_of(table);
    std::uint64_t bytes = table.size;
    const auto add_level = [&](std::uint64_t level) {
        bytes = 0;
        Range all = keys;
        for (const auto& [number, other] : tables) {
            if (other.level != level || !overlaps(other, keys)) continue;
            bytes += other.size;
            all = {std::min(all.first, other.first), std::max(all.second, other.last)};
        }
        return std::exchange(keys, all) != all;
    };
    while (table.level == 0 && add_level(0)) {
    }
    const std::uint64_t upper = bytes;
    add_level(table.level + 1);
    return upper + bytes;
}

/// The tables that hold something of a range, in the order in which LevelDB looks into them.
class TablesOfRange {
public:
    using Entry = StoreTables::value_type;
    using Place = std::vector<const Entry*>::const_iterator;

    TablesOfRange(const StoreTables& tables, const Range& range) {
        for (const Entry& entry : tables)
            if (overlaps(entry.second, range)) found_.push_back(&entry);
        std::sort(found_.begin(), found_.end(), [](const Entry* a, const Entry* b) {
            if (a->second.level == 0 && b->second.level == 0) return a->first > b->first;
            return std::tie(a->second.level, a->second.first) <
                   std::tie(b->second.level, b->second.first);
        });
    }

    Place begin() const { return found_.begin(); }
    Place end() const { return found_.end(); }

    /// The first table below one that overlaps `keys`, which are its own or some of these.
    Place below(Place place, const Range& keys) const {
        const std::uint64_t level = (*place)->second.level;
        ++place;
        while (place != end() && (*place)->second.level == 0) {
            if (overlaps((*place)->second, keys)) return place;
            ++place;
        }
        if (level > 0) place = end_of_level(place, level);
        while (place != end()) {
            const Place last = end_of_level(place, (*place)->second.level);
            // Tables of one level lie behind one another.
            const Place first = std::partition_point(
                place, last, [&](const Entry* entry) { return entry->second.last < keys.first; });
            if (first != last && overlaps((*first)->second, keys)) return first;
            place = last;
        }
        return place;
    }

private:
    Place end_of_level(Place place, std::uint64_t level) const {
        return std::partition_point(
            place, end(), [&](const Entry* entry) { return entry->second.level <= level; });
    }

    std::vector<const Entry*> found_;
};

}  // namespace

std::optional<TableMerge> next_merge(const StoreTables& tables, const Range& range,
                                     const std::function<bool(const TableMerge&)>& is_left_out) {
    const TablesOfRange found(tables, range);
    for (auto place = found.begin(); place != found.end(); ++place) {
        const auto& [number, table] = **place;
        const Range own = keys_of(table);
        const auto below = found.below(place, shared(own, range));
        if (below == found.end()) continue;
        TableMerge merge{.table = number, .level = table.level, .size = table.size, .absent = {}};
        if (is_left_out(merge)) continue;
        const Range both = shared(own, keys_of((*below)->second));
        // Inside the range no other table is looked into before.
        add_absent(shared(both, range), merge.absent);
        add_absent(both, merge.absent);
        if (merge.absent.empty()) continue;
        merge.bytes = merged_bytes(tables, table);
        return merge;
    }
    return std::nullopt;
}

void provoke_merge(ReopenableDatabase& database, const TableMerge& merge,
                   const std::function<bool()>& must_stop) {
    // It lets pass one for each 16 KiB of a table, and so many at least.
    constexpr std::uint64_t kBytesOfLook = 16 * 1024;
    constexpr std::uint64_t kLeast = 100;
    const std::uint64_t most = std::max(kLeast, merge.size / kBytesOfLook) + 1;
    leveldb::ReadOptions options;
    options.fill_cache = false;
    std::string value;
    const auto wait = [&] {
        while (database.is_merging() && !must_stop())
            std::this_thread::sleep_for(kBetweenLooks);
    };
    wait();
    bool is_begun = false;
    for (const std::string& key : merge.absent) {
        for (std::uint64_t i = 0; i < most && !is_begun; ++i) {
            const bool was_merging = database.is_merging();
            if (!database.Get(options, key, &value).IsNotFound()) break;
            is_begun = !was_merging && database.is_merging();
        }
    }
    wait();
}

}  // namespace stele::kernel::storage
