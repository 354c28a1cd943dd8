#include "kernel/resource/operations/data_store_capability.hpp"

#include <stele/sdk/data_store.hpp>

#include "kernel/resource/operations/activity_operations.hpp"
#include "kernel/resource/operations/data_store_operations.hpp"
#include "kernel/resource/operations/kernel_action.hpp"

namespace stele::kernel::resource {

void add_data_store(sdk::ResourceDescriptor& descriptor) {
    sdk::Fields fields = sdk::data_store_fields();
    fields.insert(fields.end(), descriptor.fields.begin(), descriptor.fields.end());
    descriptor.fields = std::move(fields);
    // Whoever may say who else has rights on a store may also close it to the others.
    const sdk::Permission manage = sdk::Permission::modify_permissions;
    const sdk::Permission know = sdk::Permission::connect;
    for (KernelAction action : {
             KernelAction{"lock", "POST", manage, &lock_store},
             {"unlock", "POST", sdk::Permission::connect, &unlock_store},
             {.name = "stats",
             .method = "POST",
             .permission = sdk::Permission::read,
             .run = &take_statistics,
             .is_slow = true},
             {"info", "GET", sdk::Permission::read, &read_store_info},
             {.name = "activities",
             .method = "GET",
             .permission = know,
             .run = &list_store_activities,
             .is_paged = true,
             .is_slow = true},
             {.name = "activities/query",
             .method = "POST",
             .permission = know,
             .run = &query_store_activities,
             .is_paged = true,
             .is_slow = true},
             {"activities/{activityId}", "GET", know, &read_store_activity},
         }) {
        descriptor.actions.push_back(action_of(std::move(action)));
    }
}

}  // namespace stele::kernel::resource
