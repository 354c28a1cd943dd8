#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

namespace stele::kernel::resource {

/// Who keeps a data store locked, and since when (epoch milliseconds).
struct StoreLock {
    sdk::RecordKey holder;
    /// `domain/name`, as clients see it.
    std::string name;
    std::int64_t since_ms = 0;
};

/// What every write into a data store must know of it: one small row, so that one look decides. The
/// store's record shows the same to clients.
struct StoreState {
    /// -1: none.
    std::int64_t maxsize = -1;
    /// Something was written since the statistics were taken.
    bool is_dirty = false;
    std::optional<StoreLock> lock;
};

/// Reads and writes what the kernel keeps beside a data store's record; the layout is told in
/// kernel/storage/engine/keys.hpp. `store` is the key of the store's record.

/// Nothing for a store that is gone.
sdk::Result<std::optional<StoreState>> read_store_state(const sdk::Reader& reader,
                                                        const sdk::RecordKey& store);
void write_store_state(sdk::Transaction& transaction, const sdk::RecordKey& store,
                       const StoreState& state);

/// Stores are listed from the first write after the statistics were taken until they are taken
/// again.
void list_dirty_store(sdk::Transaction& transaction, const sdk::RecordKey& store, bool is_listed);
/// The listed ones of a platform, in no particular order.
sdk::Result<std::vector<sdk::RecordKey>> dirty_stores(const sdk::Reader& reader,
                                                      std::uint64_t platform);
/// Those of a platform that are not marked as written to since.
sdk::Result<std::vector<sdk::RecordKey>> clean_stores(const sdk::Reader& reader,
                                                      std::uint64_t platform);

/// What is in the store, as the reader shows it.
sdk::Result<sdk::DataStoreSize> read_store_size(const sdk::Reader& reader,
                                                const sdk::RecordKey& store);
/// The same in a transaction; everybody who writes into it changes these numbers, so they are read
/// without a promise that they last.
sdk::Result<sdk::DataStoreSize> peek_store_size(const sdk::Transaction& transaction,
                                                const sdk::RecordKey& store);
/// The commit will conflict when the store's bytes grow beyond `maxsize` (-1: no bound).
sdk::Result<void> add_store_size(sdk::Transaction& transaction, const sdk::RecordKey& store,
                                 sdk::DataStoreSize change, std::int64_t maxsize);

/// `enableAuthorities: false`.
sdk::Result<bool> is_open_store(const sdk::Reader& reader, const sdk::RecordKey& store);
void set_open_store(sdk::Transaction& transaction, const sdk::RecordKey& store, bool is_open);

/// With the store itself.
void remove_store_rows(sdk::Transaction& transaction, const sdk::RecordKey& store);

}  // namespace stele::kernel::resource
