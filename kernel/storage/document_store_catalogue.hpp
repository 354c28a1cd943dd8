#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kernel/storage/document_store.hpp"

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

private:
    static constexpr std::size_t kCached = 65536;

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

    std::shared_mutex mutex_;
    boost::unordered_flat_map<KeptName, std::uint64_t, HashName, SameName> numbers_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, CollectionInfo> infos_;
};

}  // namespace stele::kernel::storage
