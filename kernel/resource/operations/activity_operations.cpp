#include "kernel/resource/operations/activity_operations.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/audit/activity.hpp"
#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::resource {

namespace {

constexpr char kStoreMember[] = "objectDatastoreRef";

sdk::Result<CollectionPlace> audit_log_place(const RoutedCall& call) {
    const RegisteredResource* audit_log = call.services().registry.find(audit::kActivityType);
    return call.services().records.collection(call.work().transaction(), call.context().platform(),
                                              *audit_log);
}

/// The audit log says who was where: being allowed to manage a store is not enough.
sdk::Result<void> check_may_read(const RoutedCall& call) {
    sdk::Context& context = call.context();
    if (context.session().is_system) return {};
    const sdk::PlatformScope& platform = context.platform();
    auto held = context.authorities().permissions(context.principal().key, platform.root);
    if (!held) return held.error();
    if (held->has(sdk::Permission::modify_permissions)) return {};
    return sdk::make_error(sdk::ErrorKind::forbidden, "authority.permission_missing",
                           "MODIFY_PERMISSIONS on platform " + platform.id + " is needed for this");
}

sdk::Result<sdk::Reply> list_part(const RoutedCall& call, sdk::Json condition) {
    if (auto allowed = check_may_read(call); !allowed) return allowed.error();
    auto place = audit_log_place(call);
    if (!place) return place.error();
    auto store = call.context().reference(call.record_key());
    if (!store) return store.error();
    sdk::Json whole = {{kStoreMember, *store}};
    if (const auto fields = condition.find("_fields"); fields != condition.end()) {
        whole["_fields"] = *fields;
        condition.erase("_fields");
    }
    // What is no object is left to the query parser, which refuses it.
    if (!condition.is_object() || !condition.empty()) {
        whole["$and"] = sdk::Json::array({std::move(condition)});
    }
    return list_rows(call, {.place = *place, .condition = std::move(whole)});
}

}  // namespace

sdk::Result<sdk::Reply> list_store_activities(const RoutedCall& call) {
    return list_part(call, sdk::Json::object());
}

sdk::Result<sdk::Reply> query_store_activities(const RoutedCall& call) {
    return list_part(call, call.body());
}

sdk::Result<sdk::Reply> read_store_activity(const RoutedCall& call) {
    if (auto allowed = check_may_read(call); !allowed) return allowed.error();
    const std::string id(call.path("activityId"));
    auto activity = call.context().documents().read({audit::kActivityType, ""}, id);
    if (!activity) return activity.error();
    auto store = call.context().reference(call.record_key());
    if (!store) return store.error();
    if (sdk::text_member(activity->fields, kStoreMember) != *store) {
        return unknown_record(audit::kActivityType, id);
    }
    return sdk::Reply::json(activity->fields);
}

}  // namespace stele::kernel::resource
