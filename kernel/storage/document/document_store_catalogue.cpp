#include "kernel/storage/document/document_store_catalogue.hpp"

#include <functional>
#include <mutex>

#include <boost/container_hash/hash.hpp>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/index/index_entries.hpp"

namespace stele::kernel::storage {

namespace {

// Collections are numbered from 1, so the counter of collection 0 is free to count collections.
std::string last_number_key(std::uint64_t platform) {
    return record_counter({platform, 0});
}

/// Whether what `reader` sees may be an uncommitted write of its own.
bool is_uncertain(const sdk::Reader& reader) {
    const sdk::Transaction* const transaction = reader.as_transaction();
    return transaction != nullptr && transaction->has_writes();
}

/// There is nothing in a new one, and whoever fills it asks for key after key whether that is so.
void expect_contents(const sdk::Reader& reader, CollectionId collection) {
    std::vector<sdk::KeyRange> contents;
    for (const char tag : {'d', 'a', 'u', 'k', 'i'}) {
        const std::string prefix = collection_prefix(collection, tag);
        contents.push_back({prefix, sdk::prefix_end(prefix)});
    }
    reader.expect(contents);
}

}  // namespace

std::string collection_name_key(std::uint64_t platform, std::string_view type,
                                std::string_view container) {
    return sdk::KeyWriter(kind_prefix(platform, 'c')).text(type).text(container).key();
}

std::size_t DocumentStore::CollectionCache::HashName::operator()(const Name& name) const {
    std::size_t hash = std::hash<std::string_view>()(name.type);
    boost::hash_combine(hash, std::hash<std::string_view>()(name.container));
    boost::hash_combine(hash, name.platform);
    return hash;
}

std::optional<CollectionId> DocumentStore::CollectionCache::find(const Name& name) {
    const std::shared_lock lock(mutex_);
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return std::nullopt;
    return CollectionId{name.platform, found->second};
}

std::optional<DocumentStore::CollectionInfo> DocumentStore::CollectionCache::describe(
    CollectionId collection) {
    const std::shared_lock lock(mutex_);
    const auto found = infos_.find({collection.platform, collection.number});
    if (found == infos_.end()) return std::nullopt;
    return found->second;
}

void DocumentStore::CollectionCache::remember(const Name& name, CollectionId collection) {
    KeptName kept{name.platform, {std::string(name.type), std::string(name.container)}};
    const std::unique_lock lock(mutex_);
    if (numbers_.size() >= kCached) numbers_.clear();
    numbers_.insert_or_assign(std::move(kept), collection.number);
}

void DocumentStore::CollectionCache::remember(CollectionId collection, const CollectionInfo& info) {
    const std::unique_lock lock(mutex_);
    if (infos_.size() >= kCached) infos_.clear();
    infos_[{collection.platform, collection.number}] = info;
}

std::size_t DocumentStore::CollectionCache::hash_of(CollectionId collection) {
    std::size_t hash = std::hash<std::uint64_t>()(collection.number);
    boost::hash_combine(hash, collection.platform);
    return hash;
}

void DocumentStore::CollectionCache::note_opening(const Name& name, CollectionId collection) {
    const auto now = Clock::now();
    const std::unique_lock lock(mutex_);
    if (openings_.size() >= next_sweep_) {
        std::erase_if(openings_, [now](const auto& opening) {
            return now - opening.second > kMaxTransactionTime;
        });
        next_sweep_ = 2 * openings_.size() + kFewOpenings;
    }
    openings_[HashName()(name)] = now;
    openings_[hash_of(collection)] = now;
    has_openings_ = true;
}

bool DocumentStore::CollectionCache::is_opening(std::size_t hash) const {
    if (!has_openings_.load(std::memory_order_relaxed)) return false;
    const std::shared_lock lock(mutex_);
    const auto found = openings_.find(hash);
    return found != openings_.end() && Clock::now() - found->second <= kMaxTransactionTime;
}

bool DocumentStore::may_have_opened(const sdk::Reader& reader, CollectionId collection) const {
    return is_uncertain(reader) && collections_->is_opening(collection);
}

sdk::Result<std::optional<CollectionId>> DocumentStore::find_collection(
    const sdk::Reader& reader, std::uint64_t platform, std::string_view type,
    std::string_view container) {
    const CollectionCache::Name name{platform, type, container};
    const bool may_be_own = is_uncertain(reader) && collections_->is_opening(name);
    if (!may_be_own) {
        if (auto known = collections_->find(name)) return known;
    }
    const std::string key = collection_name_key(platform, type, container);
    const auto stored = reader.get(key);
    if (!stored) return stored.error();
    // What was erased keeps its meaning.
    if (!*stored) return may_be_own ? collections_->find(name) : std::optional<CollectionId>();
    const CollectionId collection{platform, static_cast<std::uint64_t>(sdk::read_counter(*stored))};
    bool is_committed = !is_uncertain(reader);
    // Of one that is being opened, whoever reads it without writes is told soon enough.
    if (!is_committed && !may_be_own) {
        const auto committed = engine_.snapshot()->get(key);
        if (!committed) return committed.error();
        is_committed = *committed == *stored;
    }
    if (is_committed) collections_->remember(name, collection);
    return std::optional(collection);
}

sdk::Result<CollectionId> DocumentStore::open_collection(sdk::Transaction& transaction,
                                                         std::uint64_t platform,
                                                         std::string_view type,
                                                         std::string_view container) {
    const auto present = find_collection(transaction, platform, type, container);
    if (!present) return present.error();
    if (*present) return **present;
    const auto last = transaction.get(last_number_key(platform));
    if (!last) return last.error();
    const std::int64_t number = sdk::read_counter(*last) + 1;
    const CollectionId collection{platform, static_cast<std::uint64_t>(number)};
    transaction.put(last_number_key(platform), sdk::counter_bytes(number));
    transaction.put(collection_name_key(platform, type, container), sdk::counter_bytes(number));
    transaction.put(collection_prefix(collection, 'C'),
                    sdk::KeyWriter().text(type).text(container).key());
    collections_->note_opening({platform, type, container}, collection);
    if (transaction.is_distant()) expect_contents(transaction, collection);
    return collection;
}

sdk::Result<std::optional<DocumentStore::CollectionInfo>> DocumentStore::describe(
    const sdk::Reader& reader, CollectionId collection) {
    const bool may_be_own = may_have_opened(reader, collection);
    if (!may_be_own) {
        if (auto known = collections_->describe(collection)) return known;
    }
    const auto stored = reader.get(collection_prefix(collection, 'C'));
    if (!stored) return stored.error();
    if (!*stored) {
        if (may_be_own) {
            if (auto known = collections_->describe(collection)) return known;
        }
        // A number may be known from a commit that a transaction began before. It means the same.
        if (reader.as_transaction() != nullptr) return describe(*engine_.snapshot(), collection);
        return std::optional<CollectionInfo>();
    }
    sdk::KeyReader names(**stored);
    auto type = names.text();
    auto container = names.text();
    if (!type || !container) {
        return sdk::make_error(sdk::ErrorKind::internal, "document.collection_broken",
                               "The catalogue of collections cannot be read.");
    }
    CollectionInfo info{std::move(*type), std::move(*container)};
    if (!is_uncertain(reader)) collections_->remember(collection, info);
    return std::optional(std::move(info));
}

sdk::Result<std::vector<CollectionId>> DocumentStore::collections(const sdk::Reader& reader,
                                                                  std::uint64_t platform) {
    const std::string prefix = kind_prefix(platform, 'C');
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::vector<CollectionId> collections;
    for (; cursor->is_valid(); cursor->next()) {
        const auto number = sdk::KeyReader(cursor->key().substr(prefix.size())).integer();
        if (number) collections.push_back({platform, *number});
    }
    if (auto status = cursor->status(); !status) return status.error();
    return collections;
}

}  // namespace stele::kernel::storage
