#include <array>

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/document/document_store_catalogue.hpp"
#include "kernel/storage/engine/row_keys.hpp"

namespace stele::kernel::storage {

namespace {

/// Everything that a collection has besides its name.
constexpr std::array kContents{'d', 'a', 'A', 'u', 'x', 'y', 'k', 'b', 'i'};

std::string removal_key(CollectionId collection) {
    return collection_prefix(collection, kRemovalTag);
}

/// Removes up to `most` keys with the prefix; answers how many.
sdk::Result<std::size_t> remove_some(sdk::Transaction& transaction, const std::string& prefix,
                                     std::size_t most) {
    const auto cursor =
        transaction.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::size_t removed = 0;
    for (; cursor->is_valid() && removed < most; cursor->next(), ++removed)
        transaction.remove(std::string(cursor->key()));
    if (auto status = cursor->status(); !status) return status.error();
    return removed;
}

}  // namespace

void DocumentStore::mark_removed(sdk::Transaction& transaction,
                                 const RemovedCollection& collection) {
    transaction.put(removal_key(collection.id), collection.type);
}

sdk::Result<bool> DocumentStore::is_removed(const sdk::Reader& reader, CollectionId collection) {
    thread_local std::string type;
    return reader.get_into(removal_key(collection), type);
}

sdk::Result<std::vector<RemovedCollection>> DocumentStore::removed_collections(
    const sdk::Reader& reader, std::uint64_t platform) {
    const std::string prefix = kind_prefix(platform, kRemovalTag);
    std::vector<RemovedCollection> collections;
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        const auto number = sdk::KeyReader(cursor->key().substr(prefix.size())).integer();
        if (number) collections.push_back({{platform, *number}, std::string(cursor->value())});
    }
    if (auto status = cursor->status(); !status) return status.error();
    return collections;
}

sdk::Result<std::vector<Record>> DocumentStore::first_records(const sdk::Reader& reader,
                                                              CollectionId collection,
                                                              std::size_t most,
                                                              const Sequence& after) {
    const std::string prefix = collection_prefix(collection, 'd');
    // A zero byte behind a key makes the next one.
    const std::string begin = after.empty() ? prefix : prefix + after + '\0';
    const auto cursor = reader.scan({begin, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    std::vector<Record> records;
    for (; cursor->is_valid() && records.size() < most; cursor->next()) {
        Record& record = records.emplace_back();
        record.collection = collection;
        record.sequence.assign(cursor->key().substr(prefix.size()));
        record.buffer().assign(cursor->value());
        if (!record.decode()) return broken_record(collection, record.sequence);
    }
    if (auto status = cursor->status(); !status) return status.error();
    return records;
}

sdk::Result<DocumentStore::Contents> DocumentStore::measure(const sdk::Reader& reader,
                                                            CollectionId collection) {
    const std::string prefix = collection_prefix(collection, 'd');
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    Contents contents;
    Record record;
    for (; cursor->is_valid(); cursor->next()) {
        record.buffer().assign(cursor->value());
        if (!record.decode()) return broken_record(collection, cursor->key().substr(prefix.size()));
        ++contents.records;
        contents.bytes += record.content_size();
    }
    if (auto status = cursor->status(); !status) return status.error();
    return contents;
}

sdk::Result<bool> DocumentStore::has_collections_inside(const sdk::Reader& reader,
                                                        CollectionId collection,
                                                        std::string_view type) {
    static const std::size_t kTerminator = sdk::KeyWriter().text("").key().size();
    std::string prefix =
        collection_name_key(collection.platform, type, record_key_prefix(collection));
    // What follows is the rest of a record's key.
    prefix.resize(prefix.size() - kTerminator);
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    const bool is_found = cursor->is_valid();
    if (auto status = cursor->status(); !status) return status.error();
    return is_found;
}

sdk::Result<bool> DocumentStore::sweep_removed(sdk::Transaction& transaction,
                                               CollectionId collection, std::size_t most) {
    std::size_t left = most;
    for (const char tag : kContents) {
        const auto removed = remove_some(transaction, collection_prefix(collection, tag), left);
        if (!removed) return removed.error();
        left -= *removed;
        if (left == 0) return false;
    }
    const auto info = describe(transaction, collection);
    if (!info) return info.error();
    if (*info) {
        transaction.remove(
            collection_name_key(collection.platform, (*info)->type, (*info)->container));
    }
    transaction.remove(collection_prefix(collection, 'C'));
    transaction.remove(removal_key(collection));
    return true;
}

}  // namespace stele::kernel::storage
