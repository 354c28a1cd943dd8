#include "kernel/resource/data_store/store_statistics.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/time.hpp>

#include "kernel/resource/data_store/data_store_records.hpp"
#include "kernel/resource/data_store/data_store_rows.hpp"

namespace stele::kernel::resource {

namespace {

/// From now on the next write marks the store again. It stays listed until the numbers are written,
/// so that nothing is lost when the server dies in between.
sdk::Result<void> expect_writes(sdk::Transaction& transaction, const sdk::RecordKey& store) {
    auto state = read_store_state(transaction, store);
    if (!state) return state.error();
    if (!*state || !(*state)->is_dirty) return {};
    (*state)->is_dirty = false;
    write_store_state(transaction, store, **state);
    return {};
}

/// Every write that these numbers lack has marked the store meanwhile, or will conflict over it.
sdk::Result<void> write_numbers(Records& records, sdk::Transaction& transaction,
                                const sdk::RecordKey& store) {
    auto state = read_store_state(transaction, store);
    if (!state) return state.error();
    if (!*state) return {};
    auto size = peek_store_size(transaction, store);
    if (!size) return size.error();
    const bool is_dirty = (*state)->is_dirty;
    list_dirty_store(transaction, store, is_dirty);
    return set_store_members(records, transaction, store,
                             {{"size", size->bytes},
                              {"objectcount", size->objects},
                              {"statisticsDate", sdk::time_value(sdk::now_ms())},
                              {"statisticsDirty", is_dirty}});
}

}  // namespace

sdk::Result<void> refresh_statistics(sdk::Engine& engine, Records& records,
                                     const sdk::RecordKey& store) {
    auto marked = sdk::write_with_retry(
        engine, [&](sdk::Transaction& transaction) { return expect_writes(transaction, store); });
    if (!marked) return marked;
    return sdk::write_with_retry(engine, [&](sdk::Transaction& transaction) {
        return write_numbers(records, transaction, store);
    });
}

}  // namespace stele::kernel::resource
