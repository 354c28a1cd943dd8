#include "kernel/resource/data_store/data_store_rows.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::resource {

namespace {

enum class Row : char { state = 's', objects = 'n', bytes = 'b', open = 'o' };

std::uint64_t platform_of(const sdk::RecordKey& record) {
    return sdk::KeyReader(record).integer().value_or(0);
}

std::string row_key(const sdk::RecordKey& store, Row row) {
    return sdk::KeyWriter(storage::kind_prefix(platform_of(store), storage::kStoreTag))
        .raw(store)
        .tag(static_cast<char>(row))
        .key();
}

std::string dirty_key(const sdk::RecordKey& store) {
    return sdk::KeyWriter(storage::kind_prefix(platform_of(store), storage::kDirtyStoreTag))
        .raw(store)
        .key();
}

std::string encode(const StoreState& state) {
    sdk::KeyWriter writer;
    writer.integer(static_cast<std::uint64_t>(state.maxsize) + 1);
    writer.tag(state.is_dirty ? '1' : '0');
    if (state.lock) {
        writer.integer(static_cast<std::uint64_t>(state.lock->since_ms));
        writer.text(state.lock->name).text(state.lock->holder);
    }
    return std::move(writer).key();
}

std::optional<StoreState> decode(std::string_view bytes) {
    sdk::KeyReader reader(bytes);
    const auto maxsize = reader.integer();
    const auto dirty = reader.tag();
    if (!maxsize || !dirty) return std::nullopt;
    StoreState state;
    state.maxsize = static_cast<std::int64_t>(*maxsize - 1);
    state.is_dirty = *dirty == '1';
    if (reader.at_end()) return state;
    const auto since = reader.integer();
    auto name = reader.text();
    auto holder = reader.text();
    if (!since || !name || !holder) return std::nullopt;
    state.lock = {std::move(*holder), std::move(*name), static_cast<std::int64_t>(*since)};
    return state;
}

sdk::Error broken_state() {
    return sdk::make_error(sdk::ErrorKind::internal, "data_store.state_broken",
                           "The state of a data store cannot be read.");
}

sdk::Result<std::int64_t> peek_counter(const sdk::Transaction& transaction,
                                       const std::string& key) {
    auto bytes = transaction.peek(key);
    if (!bytes) return bytes.error();
    return sdk::read_counter(*bytes);
}

}  // namespace

sdk::Result<std::optional<StoreState>> read_store_state(const sdk::Reader& reader,
                                                        const sdk::RecordKey& store) {
    thread_local std::string bytes;
    const auto found = reader.get_into(row_key(store, Row::state), bytes);
    if (!found) return found.error();
    if (!*found) return std::optional<StoreState>();
    auto state = decode(bytes);
    if (state) return state;
    return broken_state();
}

void write_store_state(sdk::Transaction& transaction, const sdk::RecordKey& store,
                       const StoreState& state) {
    transaction.put(row_key(store, Row::state), encode(state));
}

void list_dirty_store(sdk::Transaction& transaction, const sdk::RecordKey& store, bool is_listed) {
    if (is_listed) {
        transaction.put(dirty_key(store), {});
    } else {
        transaction.remove(dirty_key(store));
    }
}

sdk::Result<sdk::DataStoreSize> read_store_size(const sdk::Reader& reader,
                                                const sdk::RecordKey& store) {
    auto objects = reader.get(row_key(store, Row::objects));
    if (!objects) return objects.error();
    auto bytes = reader.get(row_key(store, Row::bytes));
    if (!bytes) return bytes.error();
    return sdk::DataStoreSize{sdk::read_counter(*objects), sdk::read_counter(*bytes)};
}

sdk::Result<sdk::DataStoreSize> peek_store_size(const sdk::Transaction& transaction,
                                                const sdk::RecordKey& store) {
    auto objects = peek_counter(transaction, row_key(store, Row::objects));
    if (!objects) return objects.error();
    auto bytes = peek_counter(transaction, row_key(store, Row::bytes));
    if (!bytes) return bytes.error();
    return sdk::DataStoreSize{*objects, *bytes};
}

sdk::Result<void> add_store_size(sdk::Transaction& transaction, const sdk::RecordKey& store,
                                 sdk::DataStoreSize change, std::int64_t maxsize) {
    if (change.objects != 0) transaction.add(row_key(store, Row::objects), change.objects);
    const std::string bytes = row_key(store, Row::bytes);
    if (maxsize >= 0 && change.bytes > 0) {
        return transaction.add_within(bytes, change.bytes, maxsize);
    }
    if (change.bytes != 0) transaction.add(bytes, change.bytes);
    return {};
}

sdk::Result<bool> is_open_store(const sdk::Reader& reader, const sdk::RecordKey& store) {
    thread_local std::string bytes;
    return reader.get_into(row_key(store, Row::open), bytes);
}

void set_open_store(sdk::Transaction& transaction, const sdk::RecordKey& store, bool is_open) {
    const std::string key = row_key(store, Row::open);
    if (is_open) {
        transaction.put(key, {});
    } else {
        transaction.remove(key);
    }
}

void remove_store_rows(sdk::Transaction& transaction, const sdk::RecordKey& store) {
    for (const Row row : {Row::state, Row::objects, Row::bytes, Row::open})
        transaction.remove(row_key(store, row));
    transaction.remove(dirty_key(store));
}

sdk::Result<std::vector<sdk::RecordKey>> dirty_stores(const sdk::Reader& reader,
                                                      std::uint64_t platform) {
    const std::string prefix = storage::kind_prefix(platform, storage::kDirtyStoreTag);
    std::vector<sdk::RecordKey> stores;
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        stores.emplace_back(cursor->key().substr(prefix.size()));
    if (auto status = cursor->status(); !status) return status.error();
    return stores;
}

sdk::Result<std::vector<sdk::RecordKey>> clean_stores(const sdk::Reader& reader,
                                                      std::uint64_t platform) {
    const std::string prefix = storage::kind_prefix(platform, storage::kStoreTag);
    std::vector<sdk::RecordKey> stores;
    const auto cursor = reader.scan({prefix, sdk::prefix_end(prefix)}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next()) {
        std::string_view store = cursor->key().substr(prefix.size());
        if (store.back() != static_cast<char>(Row::state)) continue;
        store.remove_suffix(1);
        const auto state = decode(cursor->value());
        if (!state) return broken_state();
        if (!state->is_dirty) stores.emplace_back(store);
    }
    if (auto status = cursor->status(); !status) return status.error();
    return stores;
}

}  // namespace stele::kernel::resource
