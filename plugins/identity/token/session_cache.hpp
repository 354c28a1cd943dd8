#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <stele/sdk/principal.hpp>

namespace stele::identity {

/// Sessions of tokens that were used lately, by token digest. A hit costs one look-up under a
/// shared lock. Any thread.
///
/// Exactness: a session may be kept only if nothing that it was made of changed while it was made.
/// Hence whoever fills the cache takes a `Load` before reading the store and hands it back, and
/// commits void loads that are under way.
class SessionCache {
public:
    explicit SessionCache(std::size_t capacity);

    struct Entry {
        sdk::SessionPtr session;
        /// Records whose change voids the entry: the principals and the client.
        std::vector<sdk::RecordKey> subjects;
    };

    /// The session of a digest; null when it is not here.
    sdk::SessionPtr find(std::string_view digest) const;

    struct Load {
        std::uint64_t subjects = 0;
        std::uint64_t tokens = 0;
    };
    /// Takes note of the present state, before the store is read.
    Load begin_load(std::string_view digest) const;
    /// Keeps the entry, unless something was voided since `load` began. Makes room when full.
    void insert(const Load& load, std::string_view digest, Entry entry);

    /// The token was written or removed.
    void forget_token(std::string_view digest);
    /// The principal or client was written or removed.
    void forget_subject(std::string_view record_key);
    void forget_everything();

    std::size_t size() const;

private:
    static constexpr std::size_t kShards = 64;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view digest) const;
    };
    using Digests = std::unordered_set<std::string, Hash, std::equal_to<>>;
    using Entries = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;
    struct Shard {
        mutable std::shared_mutex mutex;
        Entries entries;
        std::atomic<std::uint64_t> voided{0};
    };

    static std::size_t shard_of(std::string_view digest);
    void erase(Shard& shard, Entries::iterator entry);
    void make_room(Shard& shard);
    void drop_subject(const sdk::RecordKey& subject, std::string_view digest);

    const std::size_t capacity_per_shard_;
    std::array<Shard, kShards> shards_;
    /// Everything but hits; taken before a shard's lock.
    mutable std::mutex writing_;
    std::unordered_map<sdk::RecordKey, Digests> digests_of_;
    std::atomic<std::uint64_t> voided_subjects_{0};
};

}  // namespace stele::identity
