#include "kernel/resource/operations/data_store_capability.hpp"

#include <stele/sdk/data_store.hpp>

#include "kernel/audit/activity.hpp"
#include "kernel/resource/operations/activity_operations.hpp"
#include "kernel/resource/operations/data_store_operations.hpp"

namespace stele::kernel::resource {

void add_data_store_fields(sdk::ResourceDescriptor& descriptor) {
    sdk::Fields fields = sdk::data_store_fields();
    fields.insert(fields.end(), descriptor.fields.begin(), descriptor.fields.end());
    descriptor.fields = std::move(fields);
}

KernelActions data_store_actions() {
    // Whoever may say who else has rights on a store may also close it to the others.
    const sdk::Permission manage = sdk::Permission::modify_permissions;
    const sdk::Permission know = sdk::Permission::connect;
    const sdk::Permission read = sdk::Permission::read;
    const sdk::Shape activity = sdk::shape::record(audit::kActivityType);
    const sdk::Shape activities = sdk::shape::page(activity);
    return {{"lock", "POST", manage, &lock_store, sdk::shape::status()},
            {"unlock", "POST", know, &unlock_store, sdk::shape::status()},
            {.name = "stats",
             .method = "POST",
             .permission = read,
             .run = &take_statistics,
             .answers = sdk::shape::status(),
             .is_slow = true},
            {"info", "GET", read, &read_store_info, sdk::shape::object()},
            {.name = "activities",
             .method = "GET",
             .permission = know,
             .run = &list_store_activities,
             .answers = activities,
             .is_paged = true,
             .is_slow = true},
            {.name = "activities/query",
             .method = "POST",
             .permission = know,
             .run = &query_store_activities,
             .answers = activities,
             .is_paged = true,
             .is_slow = true},
            {"activities/{activityId}", "GET", know, &read_store_activity, activity}};
}

}  // namespace stele::kernel::resource
