#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "kernel/storage/document_store.hpp"

namespace stele::kernel::storage {

/// Leads from a type and what contains the collection to its number.
std::string collection_name_key(std::uint64_t platform, std::string_view type,
                                std::string_view container);

/// Committed meanings of collection numbers. A number never changes its meaning, also when the
/// collection is erased, so what was seen once stays true. Any thread.
class DocumentStore::CollectionCache {
public:
    std::optional<CollectionId> find(const std::string& name_key, std::uint64_t platform);
    std::optional<CollectionInfo> describe(CollectionId collection);
    void remember(const std::string& name_key, CollectionId collection);
    void remember(CollectionId collection, const CollectionInfo& info);

private:
    static constexpr std::size_t kCached = 65536;

    std::shared_mutex mutex_;
    std::unordered_map<std::string, std::uint64_t> numbers_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, CollectionInfo> infos_;
};

}  // namespace stele::kernel::storage
