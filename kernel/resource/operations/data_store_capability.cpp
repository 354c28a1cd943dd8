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
    // What a store holds is counted where it is.
    for (const char* counted : {"objectcount", "size", "statisticsDate", "statisticsDirty"})
        descriptor.unmoved_members.emplace_back(counted);
}

namespace {

/// What the caller may not know is left out: how much the store holds, or of which kind.
sdk::Shape store_info() {
    using sdk::shape::integer;
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"datastoreId", text()},
                               {"datastoreTypeId", text()},
                               {"maxsize", sdk::shape::null_or(sdk::shape::number())},
                               optional("objectcount", integer()),
                               optional("size", integer()),
                               optional("counts", sdk::shape::map(integer()))});
}

}  // namespace

KernelActions data_store_actions(std::string_view type) {
    // Whoever may say who else has rights on a store may also close it to the others.
    const sdk::Permission manage = sdk::Permission::modify_permissions;
    const sdk::Permission know = sdk::Permission::connect;
    const sdk::Permission read = sdk::Permission::read;
    const sdk::Shape activity = sdk::shape::record(audit::kActivityType);
    const sdk::Shape activities = sdk::shape::page(activity);
    const sdk::Shape store = sdk::shape::written(type);
    return {{"lock", "POST", manage, &lock_store, store},
            {"unlock", "POST", know, &unlock_store, store},
            {.name = "stats",
             .method = "POST",
             .permission = read,
             .run = &take_statistics,
             .answers = store,
             .is_slow = true},
            {"info", "GET", read, &read_store_info, store_info()},
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
