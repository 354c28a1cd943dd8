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

/// Decisions by record and principal. Those of a record can be dropped, and those of a platform be
/// made void. Bounded: a shard that is full begins anew. Any thread.
class DecisionTable {
public:
    explicit DecisionTable(std::size_t capacity);

    /// What a decision depends on, as it was before the decision was begun.
    struct Versions {
        std::uint64_t drops = 0;
        std::uint64_t epoch = 0;
    };

    std::optional<sdk::PermissionSet> find(std::string_view record,
                                           std::string_view principal) const;
    Versions versions(std::string_view record) const;
    /// Remembers a decision, unless something that it may depend on has changed since `versions`.
    void store(std::string_view record, std::string_view principal, sdk::PermissionSet permissions,
               Versions versions);

    void drop_record(std::string_view record);
    void drop_platform(std::uint64_t platform);
    void drop_everything();

private:
    struct Decision {
        sdk::PermissionSet permissions;
        std::uint64_t epoch = 0;
    };
    struct BytesHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view bytes) const {
            return std::hash<std::string_view>()(bytes);
        }
    };
    template <class Value>
    using ByKey = std::unordered_map<sdk::RecordKey, Value, BytesHash, std::equal_to<>>;
    using ByPrincipal = ByKey<Decision>;

    struct Shard {
        mutable std::shared_mutex mutex;
        ByKey<ByPrincipal> records;
        std::size_t size = 0;
        std::uint64_t drops = 0;
    };

    static constexpr std::size_t kShards = 16;
    // Platforms share these counters where there are more of them; that only voids too much.
    static constexpr std::size_t kEpochs = 256;

    const Shard& shard_of(std::string_view record) const;
    Shard& shard_of(std::string_view record);
    std::uint64_t epoch_of(std::string_view record) const;

    std::size_t shard_capacity_;
    std::array<Shard, kShards> shards_;
    std::array<std::atomic<std::uint64_t>, kEpochs> epochs_{};
};

}  // namespace stele::kernel::authority
