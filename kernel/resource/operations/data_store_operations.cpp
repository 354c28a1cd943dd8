#include "kernel/resource/operations/data_store_operations.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/time.hpp>

#include "kernel/resource/data_store/data_store_records.hpp"
#include "kernel/resource/data_store/store_statistics.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/work/store_numbers.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Result<sdk::Reply> store_reply(const RoutedCall& call, const sdk::Reader& reader) {
    storage::Record record;
    auto found = call.services().records.read(reader, call.record_key(), record);
    if (!found) return found.error();
    return written_reply(call, record);
}

sdk::Result<void> check_may_unlock(const RoutedCall& call, const StoreLock& lock) {
    if (call.context().principal().key == lock.holder) return {};
    auto may = sdk::holds(call.context(), call.record_key(), sdk::Permission::modify_permissions);
    if (!may) return may.error();
    if (*may) return {};
    return sdk::make_error(
        sdk::ErrorKind::forbidden, "data_store.lock_foreign",
        "only " + lock.name + ", who holds the lock, and managers of the store can unlock it");
}

}  // namespace

sdk::Result<sdk::Reply> lock_store(const RoutedCall& call) {
    WorkContext& work = call.work();
    const sdk::RecordKey& store = call.record_key();
    auto state = work.bound_data_stores().state(store);
    if (!state) return state.error();
    if (auto free = work.bound_data_stores().check_lock(store, *state); !free) return free.error();
    if (!state->lock) {
        const sdk::Principal& holder = work.principal();
        state->lock = {holder.key, holder.qualified_name(), sdk::now_ms()};
        write_store_state(work.transaction(), store, *state);
        auto shown = set_store_members(call.services().records, work.transaction(), store,
                                       {{"locked", true},
                                        {"lockedBy", state->lock->name},
                                        {"lockedOn", sdk::time_value(state->lock->since_ms)}});
        if (!shown) return shown.error();
    }
    return store_reply(call, work.transaction());
}

sdk::Result<sdk::Reply> unlock_store(const RoutedCall& call) {
    WorkContext& work = call.work();
    const sdk::RecordKey& store = call.record_key();
    auto state = work.bound_data_stores().state(store);
    if (!state) return state.error();
    if (state->lock) {
        if (auto allowed = check_may_unlock(call, *state->lock); !allowed) return allowed.error();
        state->lock.reset();
        write_store_state(work.transaction(), store, *state);
        auto shown =
            set_store_members(call.services().records, work.transaction(), store,
                              {{"locked", false}, {"lockedBy", nullptr}, {"lockedOn", nullptr}});
        if (!shown) return shown.error();
    }
    return store_reply(call, work.transaction());
}

sdk::Result<sdk::Reply> take_statistics(const RoutedCall& call) {
    Services& services = call.services();
    if (const auto taking = services.held_statistics.begin_taking(call.record_key())) {
        auto taken = refresh_statistics(*services.engine, services.records, call.record_key());
        if (!taken) return taken.error();
    }
    // The operation's own transaction began before.
    return store_reply(call, *services.engine->snapshot());
}

sdk::Result<sdk::Reply> read_store_info(const RoutedCall& call) {
    WorkContext& work = call.work();
    const sdk::Json& fields = call.record().fields;
    sdk::Json info = {{"datastoreId", call.record().id},
                      {"datastoreTypeId", call.route().resource->descriptor.type},
                      {"maxsize", fields.value("maxsize", sdk::Json(-1))}};
    auto may_know =
        may_know_numbers(call.services(), work.session(), work.transaction(), call.record_key());
    if (!may_know) return may_know.error();
    if (!*may_know) return sdk::Reply::json(info);
    auto size = peek_store_size(work.transaction(), call.record_key());
    if (!size) return size.error();
    sdk::Json counts = sdk::Json::object();
    for (const RegisteredResource* contained : call.route().resource->contained) {
        auto place = call.services().records.collection_inside(work.transaction(), *contained,
                                                               call.stored());
        if (!place) return place.error();
        std::uint64_t count = 0;
        if (place->id) {
            auto space = call.services().records.open_space(work.transaction(), *place);
            if (!space) return space.error();
            auto counted = call.services().documents.count(**space, *place->id);
            if (!counted) return counted.error();
            count = *counted;
        }
        counts[contained->descriptor.type] = count;
    }
    info.update({{"objectcount", size->objects}, {"size", size->bytes}, {"counts", counts}});
    return sdk::Reply::json(info);
}

}  // namespace stele::kernel::resource
