#pragma once

#include <cstdint>
#include <memory>

#include <stele/sdk/descriptor.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::sdk {

class BlobStore;

/// The fields of a family with the capability `data_store` (docs/specification/interface.md 3.2).
/// The kernel puts them before the family's own and keeps those that the server sets.
Fields data_store_fields();

/// What a data store holds, its own record not counted.
struct DataStoreSize {
    std::int64_t objects = 0;
    std::int64_t bytes = 0;

    friend bool operator==(const DataStoreSize&, const DataStoreSize&) = default;
};

/// Locks, sizes and binaries of data stores, inside the transaction of a context. Records are
/// guarded and counted by themselves; this is for content that a plugin keeps elsewhere (nodes,
/// attachments). `record` stands for the store that it is or lies in; where it lies in none,
/// nothing is locked or counted. Not for several threads.
class DataStores {
public:
    virtual ~DataStores();

    /// To be asked before anything in the store is written: `locked` (`data_store.locked`) while
    /// somebody else holds its lock. The kernel then repeats the operation until the store is free
    /// or the caller has waited long enough; pass the failure on.
    virtual Result<void> check_writable(const RecordKey& record) = 0;
    /// The same, and counts what the write adds or, negative, takes away. `storage_full`
    /// (`data_store.full`) when the store would grow beyond its `maxsize`; what does not add bytes
    /// is always allowed.
    virtual Result<void> count(const RecordKey& record, DataStoreSize change) = 0;
    /// What the store holds, this transaction's changes included.
    virtual Result<DataStoreSize> size(const RecordKey& record) = 0;
    /// Where the store's binaries lie, by its `binaryStorageProviderType`. Lives as long as the
    /// server. `unavailable` (`data_store.provider_missing`) when no enabled plugin offers it.
    virtual Result<BlobStore*> binaries(const RecordKey& record) = 0;
    /// For a transaction that takes long, before it writes to the store: says that the store's
    /// statistics are out of date, in a transaction of its own, and keeps the server from taking
    /// them until what it answers is gone; either would be a conflict for the transaction. Where
    /// the record lies in no store, as a platform or a stack, what is written below it may lie in
    /// any: then this is done for all stores of its platform. `conflict` (`engine.conflict`) where
    /// the transaction has read already that the statistics were up to date: a repetition goes
    /// well. Waits: not on a thread that serves connections.
    virtual Result<std::shared_ptr<const void>> hold_statistics(const RecordKey& record) = 0;
};

}  // namespace stele::sdk
