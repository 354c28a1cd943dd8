#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include <stele/sdk/permission.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::authority {

/// A place in the order of what happens to a `DecisionTable`.
using Moment = std::uint64_t;

/// Decisions by record and principal. Those of a record, of a platform or all can be dropped.
/// Bounded: a shard that is full begins anew. Any thread.
///
/// A decision is made at some state of the store and stored afterwards. As long as nothing that it
/// may depend on is dropped it holds at that state and at all later ones, but for an earlier one it
/// says nothing. States have no numbers here; moments stand in for them: a state that is taken
/// after a moment is at least as new as all that was stored and dropped until then.
class DecisionTable {
public:
    explicit DecisionTable(std::size_t capacity);

    Moment moment() const { return clock_; }

    /// The decision at a state that was taken after `moment`; nothing when it is unknown.
    std::optional<sdk::PermissionSet> find(std::string_view record, std::string_view principal,
                                           Moment moment) const;
    /// Remembers a decision at a state that was taken after `moment`, unless something that it may
    /// depend on has been dropped since.
    void store(std::string_view record, std::string_view principal, sdk::PermissionSet permissions,
               Moment moment);

    void drop_record(std::string_view record);
    void drop_platform(std::uint64_t platform);
    void drop_everything();

private:
    struct Decision {
        sdk::PermissionSet permissions;
        /// Before the state at which it was made.
        Moment made = 0;
        Moment stored = 0;
    };
    /// Bytes with their hash, which both the shard and the map are found by.
    struct Hashed {
        std::string_view bytes;
        std::size_t hash = std::hash<std::string_view>()(bytes);

        friend bool operator==(const Hashed& one, const sdk::RecordKey& other) {
            return one.bytes == other;
        }
    };
    struct BytesHash {
        using is_transparent = void;
        std::size_t operator()(const Hashed& key) const { return key.hash; }
        std::size_t operator()(const sdk::RecordKey& key) const { return Hashed{key}.hash; }
    };
    template <class Value>
    using ByKey = std::unordered_map<sdk::RecordKey, Value, BytesHash, std::equal_to<>>;
    using ByPrincipal = ByKey<Decision>;

    struct Shard {
        mutable std::shared_mutex mutex;
        ByKey<ByPrincipal> records;
        std::size_t size = 0;
        /// When a record's decisions were last dropped here.
        Moment dropped = 0;
    };

    static constexpr std::size_t kShards = 16;
    // Platforms share these where there are more of them; that only voids too much.
    static constexpr std::size_t kPlatforms = 256;

    const Shard& shard_of(const Hashed& record) const { return shards_[record.hash % kShards]; }
    Shard& shard_of(const Hashed& record) { return shards_[record.hash % kShards]; }
    /// When the decisions of the record's platform were last made void.
    Moment voided(std::string_view record) const;
    void make_void(std::size_t platform);

    std::size_t shard_capacity_;
    std::atomic<Moment> clock_{0};
    std::array<Shard, kShards> shards_;
    std::array<std::atomic<Moment>, kPlatforms> voided_{};
};

}  // namespace stele::kernel::authority
