#include <stele/sdk/gifts.hpp>

#include <string>

namespace stele::sdk {

namespace {

Result<void> refused_unless(Result<bool> covered, const char* code, std::string_view message) {
    if (!covered) return covered.error();
    if (*covered) return {};
    return make_error(ErrorKind::forbidden, code, std::string(message));
}

}  // namespace

Result<void> require_grant(Context& context, const RecordKey& record, std::string_view role_key,
                           bool is_deep) {
    if (context.session().is_system) return {};
    auto covered =
        context.authorities().covers_grant(context.principal().key, record, role_key, is_deep);
    return refused_unless(std::move(covered), "authority.role_above_own",
                          "the role " + std::string(role_key) +
                              " has permissions that the caller does not have everywhere that it "
                              "would count");
}

Result<void> require_inside(Context& context, const RecordKey& record, PermissionSet permissions,
                            const char* code, std::string_view message) {
    if (context.session().is_system) return {};
    return refused_unless(
        context.authorities().covers_inside(context.principal().key, record, permissions), code,
        message);
}

Result<void> require_membership(Context& context, const RecordKey& group) {
    if (context.session().is_system) return {};
    return refused_unless(context.authorities().covers_membership(context.principal().key, group),
                          "authority.group_above_own",
                          "the group has rights that the caller does not have");
}

Result<void> require_departure(Context& context, const RecordKey& group) {
    if (context.session().is_system) return {};
    return refused_unless(
        context.authorities().covers_departure(context.principal().key, group),
        "authority.group_above_own",
        "policies of the group take away what the caller does not have, and it would come back");
}

Result<void> require_rights_of(Context& context, const RecordKey& principal) {
    if (context.session().is_system || context.principal().key == principal) return {};
    return refused_unless(
        context.authorities().covers_principal(context.principal().key, principal),
        "authority.principal_above_own",
        "the principal has rights that the caller does not have, so that it alone may do this");
}

}  // namespace stele::sdk
