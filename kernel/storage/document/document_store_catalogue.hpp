#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kernel/storage/document/document_store.hpp"

namespace stele::kernel::storage {

/// Leads from a type and what contains the collection to its number.
std::string collection_name_key(std::uint64_t platform, std::string_view type,
                                std::string_view container);

/// Committed meanings of collection numbers. A number never changes its meaning, also when the
/// collection is erased, so what was seen once stays true. Any thread.
class DocumentStore::CollectionCache {
public:
    struct Name {
        std::uint64_t platform;
        std::string_view type;
        std::string_view container;

        friend bool operator==(const Name&, const Name&) = default;
    };

    std::optional<CollectionId> find(const Name& name);
    std::optional<CollectionInfo> describe(CollectionId collection);
    void remember(const Name& name, CollectionId collection);
    void remember(CollectionId collection, const CollectionInfo& info);

    /// A transaction gives a number that another one may give at the same time: what the others
    /// commit is not what it means by it until it fails itself.
    void note_opening(const Name& name, CollectionId collection);
    /// Whether some transaction that may still run has given it.
    bool is_opening(const Name& name) const { return is_opening(HashName()(name)); }
    bool is_opening(CollectionId collection) const { return is_opening(hash_of(collection)); }

private:
    static constexpr std::size_t kCached = 65536;
    static constexpr std::size_t kFewOpenings = 1024;

    struct KeptName {
        std::uint64_t platform;
        CollectionInfo info;

        operator Name() const { return {platform, info.type, info.container}; }
    };
    struct HashName {
        using is_transparent = void;
        std::size_t operator()(const Name& name) const;
    };
    struct SameName {
        using is_transparent = void;
        bool operator()(const Name& a, const Name& b) const { return a == b; }
    };

    using Clock = std::chrono::steady_clock;
    /// Longer than any transaction runs.
    static constexpr std::chrono::minutes kMaxTransactionTime{15};

    static std::size_t hash_of(CollectionId collection);
    bool is_opening(std::size_t hash) const;

    mutable std::shared_mutex mutex_;
    /// Hashes of names and of numbers, and when they were given: one too many only costs a read.
    std::unordered_map<std::size_t, Clock::time_point> openings_;
    /// From so many on the old ones are looked for.
    std::size_t next_sweep_ = kFewOpenings;
    std::atomic<bool> has_openings_ = false;
    boost::unordered_flat_map<KeptName, std::uint64_t, HashName, SameName> numbers_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, CollectionInfo> infos_;
};

}  // namespace stele::kernel::storage
