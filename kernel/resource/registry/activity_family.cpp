#include "kernel/resource/registry/activity_family.hpp"

#include "kernel/audit/activity.hpp"

namespace stele::kernel::resource {

sdk::ResourceDescriptor ActivityFamily::describe() const {
    using enum sdk::FieldKind;
    sdk::ResourceDescriptor descriptor;
    descriptor.type = audit::kActivityType;
    descriptor.path = "activities";
    descriptor.placeholder = "activityId";
    descriptor.title = "activities";
    for (const char* name :
         {"type", "userDomainId", "userId", "userName", "userTitle", "userEmail", "objectTypeId",
          "objectId", "objectRef", "objectDatastoreTypeId", "objectDatastoreId",
          "objectDatastoreRef", "otherId", "route", "path", "requestId", "remoteAddress"}) {
        descriptor.fields.push_back({.name = name, .kind = text, .read_only = true});
    }
    descriptor.fields.push_back({.name = "timestamp", .kind = object, .read_only = true});
    descriptor.fields.push_back({.name = "status", .kind = integer, .read_only = true});
    descriptor.operations = {.create = false,
                             .list = true,
                             .query = true,
                             .read = true,
                             .update = false,
                             .remove = false,
                             .permissions = false,
                             .transfer = false};
    // What only managers and owners of the platform hold.
    descriptor.permissions.list = sdk::Permission::modify_permissions;
    descriptor.permissions.query = sdk::Permission::modify_permissions;
    descriptor.permissions.read = sdk::Permission::modify_permissions;
    return descriptor;
}

storage::CollectionRules activity_rules() {
    storage::CollectionRules rules;
    rules.unindexed_fields = {"platformId",
                              "type",
                              "userDomainId",
                              "userName",
                              "userTitle",
                              "userEmail",
                              "objectTypeId",
                              "objectId",
                              "objectDatastoreTypeId",
                              "objectDatastoreId",
                              "otherId",
                              "route",
                              "path",
                              "status",
                              "remoteAddress"};
    for (const char* part : {"timestamp", "iso_8601", "year", "month", "day_of_month", "hour",
                             "minute", "second", "millisecond"}) {
        rules.unindexed_fields.push_back(std::string("timestamp.") + part);
    }
    return rules;
}

}  // namespace stele::kernel::resource
