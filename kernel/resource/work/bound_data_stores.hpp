#pragma once

#include <optional>

#include <stele/sdk/data_store.hpp>

#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/record/services.hpp"

namespace stele::kernel::resource {

class WorkContext;

/// Data stores inside one transaction: who may write into them now, and how much is in them. All
/// reads are part of the transaction, so a write and a lock, or a write and a lower `maxsize`, that
/// race are put in order.
class BoundDataStores final : public sdk::DataStores {
public:
    BoundDataStores(Services& services, WorkContext& context)
        : services_(services), context_(context) {}

    /// `storage_full` (`data_store.full`) when an upload of so many bytes, but for what a form adds
    /// to its files, is more than all that the record's data store may hold.
    sdk::Result<void> check_upload(const sdk::RecordKey& record, std::uint64_t bytes) const;
    sdk::Result<void> check_writable(const sdk::RecordKey& record) override;
    sdk::Result<void> count(const sdk::RecordKey& record, sdk::DataStoreSize change) override;
    sdk::Result<sdk::DataStoreSize> size(const sdk::RecordKey& record) override;
    sdk::Result<sdk::BlobStore*> binaries(const sdk::RecordKey& record) override;
    sdk::Result<std::shared_ptr<const void>> hold_statistics(const sdk::RecordKey& record) override;

    /// `count` for what the server keeps there for itself: a full store does not refuse it.
    sdk::Result<void> count_own(const sdk::RecordKey& record, sdk::DataStoreSize change);
    /// The state of a data store; `not_found` when it is gone.
    sdk::Result<StoreState> state(const sdk::RecordKey& store) const;
    /// The lock of `state` does not keep this caller out.
    sdk::Result<void> check_lock(const sdk::RecordKey& store, const StoreState& state) const;

private:
    struct Store {
        sdk::RecordKey key;
        StoreState state;
    };
    /// The store that the record is or lies in, unless that is gone.
    sdk::Result<std::optional<Store>> store_of(const sdk::RecordKey& record) const;
    sdk::Result<void> count(const sdk::RecordKey& record, sdk::DataStoreSize change,
                            bool is_bounded);
    sdk::Result<void> check_room(const Store& store, std::int64_t more) const;
    /// In any transaction.
    sdk::Result<void> mark_dirty(sdk::Transaction& transaction, Store& store) const;
    /// Those that are not marked, in a transaction of its own; whether there were any.
    sdk::Result<bool> mark_apart(const std::vector<sdk::RecordKey>& stores) const;
    sdk::Result<std::shared_ptr<const void>> hold_all_statistics(std::uint64_t platform);
    /// Type and id, for messages.
    sdk::Result<std::string> describe(const sdk::RecordKey& store) const;

    Services& services_;
    WorkContext& context_;
};

}  // namespace stele::kernel::resource
