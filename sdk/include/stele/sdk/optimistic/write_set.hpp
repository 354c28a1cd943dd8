#pragma once

#include <cstdint>
#include <limits>
#include <list>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stele/sdk/engine.hpp>

namespace stele::sdk::optimistic {

/// The numbers that a commit gave, by counter; the names are those of the write set.
using Stamps = std::vector<std::pair<std::string_view, std::uint64_t>>;

/// The stamp of a transaction that has taken `taken` numbers, by what the counter is after it.
constexpr std::uint64_t first_taken(std::int64_t sum, std::uint64_t taken) {
    return static_cast<std::uint64_t>(sum) - (taken - 1);
}

std::optional<std::uint64_t> find_stamp(const Stamps& stamps, std::string_view counter);

/// What a transaction is about to change, ordered by key. Keys and values are copied once, into
/// memory that is freed as a whole.
class WriteSet {
public:
    enum class Kind : std::uint8_t { put, remove, add };

    /// Where a put gets the stamp of a counter.
    struct Stamped {
        std::string_view counter;
        std::optional<StampPlace> in_key;
        std::optional<StampPlace> in_value;
        std::uint64_t step = 0;
    };

    /// A counter that gives numbers, and how many: one more than the highest step.
    struct StampCounter {
        std::string_view name;
        std::uint64_t taken = 0;
    };

    struct Write {
        std::string_view value;                                        ///< `put` only
        std::int64_t delta = 0;                                        ///< `add` only
        std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< of `add_within`
        std::uint64_t hash = 0;                                        ///< of the key
        const Stamped* stamped = nullptr;                              ///< `put` only
        Kind kind = Kind::put;
    };

    using Writes = std::pmr::map<std::string_view, Write>;

    WriteSet() : writes_(&memory_) {}
    WriteSet(const WriteSet&) = delete;
    WriteSet& operator=(const WriteSet&) = delete;

    void put(std::string_view key, std::string_view value);
    void remove(std::string_view key);
    void remove_range(KeyRange range);
    void add(std::string_view key, std::int64_t delta);
    /// The lowest bound of several counts.
    void add_within(std::string_view key, std::int64_t delta, std::int64_t most);

    /// Seen with the greatest number as its stamp; that of a higher step is smaller here.
    void put_stamped(std::string_view counter, const StampedPut& put);
    /// The counters whose numbers are taken; each is among the writes.
    const std::vector<StampCounter>& stamp_counters() const { return stamp_counters_; }
    struct StampedEntry {
        std::string_view key;
        std::string_view value;
        std::uint64_t hash = 0;  ///< of the key
    };
    /// A stamped put with the stamp that its commit gives. What has no place for it stays where it
    /// is, the rest is written into the strings.
    static StampedEntry write_stamp(std::string_view key, const Write& write, const Stamps& stamps,
                                    std::string& key_bytes, std::string& value_bytes);

    bool is_empty() const { return writes_.empty() && removed_ranges_.empty(); }
    /// Nothing but removals and counters: it makes room sooner or later.
    bool only_removes() const { return puts_ == 0; }
    /// Bytes of all keys and values.
    std::size_t size() const { return size_; }

    const Writes& writes() const { return writes_; }
    /// The writes that were counters when they began; what they are now tells their kind.
    const std::vector<const Writes::value_type*>& counters() const { return counters_; }
    const Write* find(std::string_view key) const;
    /// The ranges are removed before the writes take place.
    const std::vector<KeyRange>& removed_ranges() const { return removed_ranges_; }
    /// The removed range that hides a stored key.
    const KeyRange* removed_range_of(std::string_view key) const;
    /// Whether a key of the range is written; removed ranges are not looked at.
    bool writes_inside(std::string_view begin, std::string_view end) const;

private:
    static constexpr std::size_t kFirstChunk = 1024;

    std::string_view keep(std::string_view bytes);
    void put_in(Write& write, std::string_view value);
    void set_counter(Write& write, std::string_view bytes);
    Writes::value_type& entry_of(std::string_view key);
    Write& write_of(std::string_view key) { return entry_of(key).second; }

    std::pmr::monotonic_buffer_resource memory_{kFirstChunk};
    Writes writes_;
    /// The writes refer to them. Not a deque, which would take memory for every reader, too.
    std::pmr::list<Stamped> stamped_{&memory_};
    /// For one entry at a time.
    std::string stamped_memory_;
    std::vector<StampCounter> stamp_counters_;
    std::vector<const Writes::value_type*> counters_;
    std::vector<KeyRange> removed_ranges_;
    std::size_t size_ = 0;
    std::size_t puts_ = 0;
};

/// Whether `key` lies in the range; an empty end has no bound.
inline bool is_inside(std::string_view key, std::string_view begin, std::string_view end) {
    return key >= begin && (end.empty() || key < end);
}

}  // namespace stele::sdk::optimistic
