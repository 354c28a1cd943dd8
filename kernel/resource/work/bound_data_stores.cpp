#include "kernel/resource/work/bound_data_stores.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/movable_snapshot.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/data_store/data_store_records.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/work/work_context.hpp"
#include "kernel/storage/engine/keys.hpp"

namespace stele::kernel::resource {

namespace {

constexpr std::size_t kMarkedAtOnce = 100;

}  // namespace

sdk::Result<std::optional<BoundDataStores::Store>> BoundDataStores::store_of(
    const sdk::RecordKey& record) const {
    const sdk::Transaction& transaction = context_.transaction();
    auto key = data_store_of(services_.records, transaction, record);
    if (!key) return key.error();
    if (!*key) return std::optional<Store>();
    auto state = read_store_state(transaction, **key);
    if (!state) return state.error();
    if (!*state) return std::optional<Store>();
    return std::optional(Store{std::move(**key), std::move(**state)});
}

sdk::Result<StoreState> BoundDataStores::state(const sdk::RecordKey& store) const {
    auto state = read_store_state(context_.transaction(), store);
    if (!state) return state.error();
    if (!*state) return unknown_record("data store", "of that key");
    return std::move(**state);
}

sdk::Result<std::string> BoundDataStores::describe(const sdk::RecordKey& store) const {
    storage::Record record;
    auto found = services_.records.read(context_.transaction(), store, record);
    if (!found) return found.error();
    auto resource = services_.records.resource_of(context_.transaction(), store);
    if (!resource) return resource.error();
    return fmt::format("{} {}", (*resource)->descriptor.type, id_of(record));
}

sdk::Result<void> BoundDataStores::check_lock(const sdk::RecordKey& store,
                                              const StoreState& state) const {
    const sdk::Session& session = context_.session();
    if (!state.lock || session.is_system || state.lock->holder == session.principal.key) return {};
    auto what = describe(store);
    if (!what) return what.error();
    context_.set_blocked_by(store);
    return sdk::make_error(
        sdk::ErrorKind::locked, "data_store.locked",
        fmt::format("the {} is locked by {} since {}", *what, state.lock->name,
                    sdk::text_member(sdk::time_value(state.lock->since_ms), "iso_8601")));
}

sdk::Result<void> BoundDataStores::check_writable(const sdk::RecordKey& record) {
    auto store = store_of(record);
    if (!store) return store.error();
    if (!*store) return {};
    return check_lock((*store)->key, (*store)->state);
}

sdk::Result<void> BoundDataStores::check_room(const Store& store, std::int64_t more) const {
    if (store.state.maxsize < 0 || more <= 0) return {};
    auto size = peek_store_size(context_.transaction(), store.key);
    if (!size) return size.error();
    if (size->bytes + more <= store.state.maxsize) return {};
    auto what = describe(store.key);
    if (!what) return what.error();
    return sdk::make_error(sdk::ErrorKind::storage_full, "data_store.full",
                           fmt::format("the {} holds {} bytes of at most {}; this would add {}",
                                       *what, size->bytes, store.state.maxsize, more));
}

sdk::Result<void> BoundDataStores::check_upload(const sdk::RecordKey& record,
                                                std::uint64_t bytes) const {
    constexpr std::uint64_t kFormBytes = 1024 * 1024;
    auto store = store_of(record);
    if (!store) return store.error();
    if (!*store || (*store)->state.maxsize < 0) return {};
    const auto most = static_cast<std::uint64_t>((*store)->state.maxsize);
    if (bytes <= most + kFormBytes) return {};
    auto what = describe((*store)->key);
    if (!what) return what.error();
    return sdk::make_error(
        sdk::ErrorKind::storage_full, "data_store.full",
        fmt::format("the {} holds at most {} bytes; this upload has {}", *what, most, bytes));
}

/// Once after each look at the statistics, so that not every write touches the store's record.
sdk::Result<void> BoundDataStores::mark_dirty(sdk::Transaction& transaction, Store& store) const {
    if (store.state.is_dirty) return {};
    store.state.is_dirty = true;
    write_store_state(transaction, store.key, store.state);
    list_dirty_store(transaction, store.key, true);
    return set_store_members(services_.records, transaction, store.key,
                             {{"statisticsDirty", true}});
}

sdk::Result<bool> BoundDataStores::mark_apart(const std::vector<sdk::RecordKey>& stores) const {
    bool is_marked = false;
    auto marked = sdk::write_with_retry(
        *services_.engine, [&](sdk::Transaction& transaction) -> sdk::Result<void> {
            is_marked = false;
            for (const sdk::RecordKey& key : stores) {
                auto state = read_store_state(transaction, key);
                if (!state) return state.error();
                // One that the context's transaction has made is nobody else's.
                if (!*state || (*state)->is_dirty) continue;
                Store store{key, std::move(**state)};
                if (auto done = mark_dirty(transaction, store); !done) return done;
                is_marked = true;
            }
            return {};
        });
    if (!marked) return marked.error();
    return is_marked;
}

sdk::Result<std::shared_ptr<const void>> BoundDataStores::hold_statistics(
    const sdk::RecordKey& record) {
    auto key = data_store_of(services_.records, context_.transaction(), record);
    if (!key) return key.error();
    if (!*key) return hold_all_statistics(storage::collection_of(record).platform);
    std::shared_ptr<const void> held = services_.held_statistics.hold(**key);
    auto marked = mark_apart({**key});
    if (!marked) return marked.error();
    if (!*marked) return held;
    auto moved = sdk::move_on(context_.transaction(), sdk::MoveOn::at_once);
    if (!moved) return moved.error();
    auto shown = read_store_state(context_.transaction(), **key);
    if (!shown) return shown.error();
    if (!*shown || (*shown)->is_dirty) return held;
    return sdk::make_error(sdk::ErrorKind::conflict, "engine.conflict",
                           "The data was changed by somebody else meanwhile.",
                           "the statistics of a data store were up to date");
}

sdk::Result<std::shared_ptr<const void>> BoundDataStores::hold_all_statistics(
    std::uint64_t platform) {
    std::shared_ptr<const void> held = services_.held_statistics.hold_all(platform);
    auto stores = clean_stores(*services_.engine->snapshot(), platform);
    if (!stores) return stores.error();
    for (std::size_t first = 0; first < stores->size(); first += kMarkedAtOnce) {
        if (auto may = context_.go_on(); !may) return may.error();
        const auto begin = stores->begin() + static_cast<std::ptrdiff_t>(first);
        const auto end =
            begin + static_cast<std::ptrdiff_t>(std::min(kMarkedAtOnce, stores->size() - first));
        if (auto marked = mark_apart({begin, end}); !marked) return marked.error();
    }
    if (stores->empty()) return held;
    auto moved = sdk::move_on(context_.transaction(), sdk::MoveOn::at_once);
    if (!moved) return moved.error();
    return held;
}

sdk::Result<void> BoundDataStores::count(const sdk::RecordKey& record, sdk::DataStoreSize change) {
    return count(record, change, true);
}

sdk::Result<void> BoundDataStores::count_own(const sdk::RecordKey& record,
                                             sdk::DataStoreSize change) {
    return count(record, change, false);
}

sdk::Result<void> BoundDataStores::count(const sdk::RecordKey& record, sdk::DataStoreSize change,
                                         bool is_bounded) {
    auto store = store_of(record);
    if (!store) return store.error();
    if (!*store) return {};
    if (auto free = check_lock((*store)->key, (*store)->state); !free) return free;
    if (is_bounded) {
        if (auto fits = check_room(**store, change.bytes); !fits) return fits;
    }
    if (auto marked = mark_dirty(context_.transaction(), **store); !marked) return marked;
    return add_store_size(context_.transaction(), (*store)->key, change,
                          is_bounded ? (*store)->state.maxsize : -1);
}

sdk::Result<sdk::DataStoreSize> BoundDataStores::size(const sdk::RecordKey& record) {
    auto key = data_store_of(services_.records, context_.transaction(), record);
    if (!key) return key.error();
    if (!*key) return sdk::DataStoreSize();
    return peek_store_size(context_.transaction(), **key);
}

sdk::Result<sdk::BlobStore*> BoundDataStores::binaries(const sdk::RecordKey& record) {
    auto key = data_store_of(services_.records, context_.transaction(), record);
    if (!key) return key.error();
    std::string provider;
    if (*key) {
        auto document = context_.documents().read(**key);
        if (!document) return document.error();
        provider = sdk::text_member(document->fields, "binaryStorageProviderType");
    }
    context_.keep_binaries();
    return services_.binaries.find_for_use(provider);
}

}  // namespace stele::kernel::resource
