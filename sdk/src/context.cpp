#include <stele/sdk/context.hpp>

namespace stele::sdk {

Result<bool> holds(Context& context, const RecordKey& record, PermissionSet permissions) {
    if (context.session().is_system) return true;
    auto held = context.authorities().permissions(context.principal().key, record);
    if (!held) return held.error();
    return held->contains(permissions);
}

Result<bool> holds(Context& context, const RecordKey& record, Permission permission) {
    return holds(context, record, PermissionSet{permission});
}

}  // namespace stele::sdk
