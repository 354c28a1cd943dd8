#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include <stele/sdk/optimistic/key_hash.hpp>

namespace stele::kernel::storage {

/// What point reads found lately, absent rows included, so that the next read need not search
/// LevelDB's tables. Exact: it answers what LevelDB would at the reader's snapshot, or nothing.
/// Bounded; any thread.
///
/// The committer alone writes the store. It numbers a commit, writes it to LevelDB, forgets its
/// keys here, and only then publishes the snapshot with that number. So
/// - who reads at that snapshot comes after the forgetting and finds no row from before it;
/// - who read at an earlier one and comes late to keep what it found is refused, and if it comes
///   between the write and the forgetting, its row is taken away again.
class RowCache {
public:
    static constexpr std::size_t kMaxValueBytes = 16 * 1024;

    /// Keeps nothing with 0 bytes.
    explicit RowCache(std::size_t bytes) : shard_bytes_(bytes / kShards) {}

    /// Whether the key exists at the snapshot, and then its value; nothing when that is not known.
    std::optional<bool> find(std::string_view key, std::uint64_t version, std::string& value);
    /// Keeps what a reader at the snapshot found, unless the key may have been written since.
    void keep(std::string_view key, std::uint64_t version, std::optional<std::string_view> value);
    /// The key is written, removed or added to by the commit that becomes `version`.
    void forget(std::string_view key, std::uint64_t version);
    /// The same of every key.
    void forget_everything(std::uint64_t version);

private:
    static constexpr std::size_t kShards = 16;
    static constexpr std::size_t kStripes = 1024;
    static constexpr std::size_t kLineBytes = 64;

    enum class State : std::uint8_t { empty, absent, present };

    struct Row {
        std::string bytes;  ///< key and value
        std::uint64_t hash = 0;
        std::uint64_t since = 0;  ///< lowest version at which the row is known to be so
        std::uint32_t key_size = 0;
        State state = State::empty;
        bool is_used = false;  ///< since the hand came by

        std::string_view key() const { return std::string_view(bytes).substr(0, key_size); }
        std::string_view value() const { return std::string_view(bytes).substr(key_size); }
        std::size_t memory() const;
    };

    struct alignas(kLineBytes) Shard {
        std::mutex mutex;
        /// Last commit that wrote a key of the stripe. Keys that share one are only kept less
        /// often.
        std::array<std::uint64_t, kStripes> written{};
        boost::unordered_flat_map<std::uint64_t, std::uint32_t, sdk::optimistic::HashIsKey> places;
        std::vector<Row> rows;
        std::vector<std::uint32_t> holes;  ///< places of empty rows
        std::size_t hand = 0;              ///< where the search for what to drop goes on
        std::size_t memory = 0;

        std::uint64_t& last_written(std::uint64_t hash);
        /// Not one with the same hash and another key.
        Row* row(std::string_view key, std::uint64_t hash);
        void insert(Row row);
        void drop(Row& row);
        /// Drops rows that were not used since the hand last came by, until so much is free.
        void make_room(std::size_t bytes, std::size_t most);
    };

    // Not the bits that the maps use, which are the highest and the lowest.
    Shard& shard_of(std::uint64_t hash) { return shards_[(hash >> 8) % kShards]; }

    std::size_t shard_bytes_;
    std::array<Shard, kShards> shards_;
};

}  // namespace stele::kernel::storage
