#include <stele/sdk/context.hpp>

namespace stele::sdk {

Result<void> Context::go_on() const {
    return {};
}

Result<bool> holds(Context& context, const RecordKey& record, PermissionSet permissions) {
    if (context.session().is_system) return true;
    auto held = context.authorities().permissions(context.principal().key, record);
    if (!held) return held.error();
    return held->contains(permissions);
}

Result<bool> holds(Context& context, const RecordKey& record, Permission permission) {
    return holds(context, record, PermissionSet{permission});
}

Result<std::optional<Document>> if_readable(Context& context, Result<Document> found) {
    if (!found && !is_missing(found.error())) return found.error();
    if (!found) return std::optional<Document>();
    const auto may = holds(context, found->key, Permission::read);
    if (!may) return may.error();
    return *may ? std::optional<Document>(*std::move(found)) : std::optional<Document>();
}

}  // namespace stele::sdk
