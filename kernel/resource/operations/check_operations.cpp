#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/principal_forms.hpp"
#include "kernel/resource/operations/role_operations.hpp"
#include "kernel/resource/record/record_fields.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Result<sdk::Permission> permission_of(std::string_view name) {
    const auto permission = sdk::find_permission(name);
    if (!permission) return sdk::invalid_parameter("permissionId", "names no permission");
    return *permission;
}

sdk::Result<bool> holds_permission(RoutedCall& call, const sdk::RecordKey& principal,
                                   const sdk::RecordKey& record, sdk::Permission permission) {
    auto held = call.context().authorities().permissions(principal, record);
    if (!held) return held.error();
    return held->has(permission);
}

sdk::Reply check_reply(bool result) {
    return sdk::Reply::json({{"check", result}, {"ok", true}});
}

/// The key of a record of the addressed collection; nothing when there is none.
sdk::Result<std::optional<sdk::RecordKey>> record_in_collection(RoutedCall& call,
                                                                const std::string& id) {
    const sdk::PlatformScope& platform = call.context().platform();
    if (!call.route().resource) {
        if (id == platform.id) return std::optional<sdk::RecordKey>(platform.root);
        return std::optional<sdk::RecordKey>();
    }
    storage::Record record;
    auto found = call.services().records.read(call.work().transaction(), call.place(), id, record);
    if (found) return std::optional<sdk::RecordKey>(record.key());
    if (sdk::is_missing(found.error())) return std::optional<sdk::RecordKey>();
    return found.error();
}

/// One question of a bulk check; a thing that nobody knows answers false.
sdk::Result<bool> answer(RoutedCall& call, const sdk::Json& question, bool is_permission) {
    auto record = record_in_collection(call, sdk::text_member(question, "permissionedId"));
    if (!record) return record.error();
    if (!*record) return false;
    std::string form = sdk::text_member(question, "principalId");
    const std::string domain = sdk::text_member(question, "domainId");
    if (!domain.empty() && form.find('/') == std::string::npos) form = domain + "/" + form;
    auto principal = find_told_principal(call, form);
    if (!principal) {
        if (sdk::is_missing(principal.error())) return false;
        return principal.error();
    }
    if (!is_permission) {
        return call.context().authorities().has_role(principal->key, **record,
                                                     sdk::text_member(question, "authorityId"));
    }
    const auto permission = sdk::find_permission(sdk::text_member(question, "permissionId"));
    if (!permission) return false;
    return holds_permission(call, principal->key, **record, *permission);
}

}  // namespace

sdk::Result<sdk::Reply> check_permission(RoutedCall& call) {
    auto permission = permission_of(call.path("permissionId"));
    if (!permission) return permission.error();
    auto principal = told_principal_parameter(call);
    if (!principal) return principal.error();
    auto held = holds_permission(call, principal->key, call.record_key(), *permission);
    if (!held) return held.error();
    return check_reply(*held);
}

sdk::Result<sdk::Reply> check_authority(RoutedCall& call) {
    auto principal = told_principal_parameter(call);
    if (!principal) return principal.error();
    const auto role = addressed_role(call);
    if (!role) return role.error();
    auto held = call.context().authorities().has_role(principal->key, call.record_key(), *role);
    if (!held) return held.error();
    return check_reply(*held);
}

namespace {

sdk::Result<sdk::Reply> check_many(RoutedCall& call, bool is_permission) {
    const sdk::Json& body = call.body();
    const auto checks = body.is_object() ? body.find("checks") : body.end();
    if (!body.is_object() || checks == body.end() || !checks->is_array()) {
        return sdk::invalid_parameter("checks", "must be an array of checks");
    }
    sdk::Json answers = sdk::Json::array();
    const char* const third = is_permission ? "permissionId" : "authorityId";
    auto whole = sdk::require_texts(*checks, "checks", {"permissionedId", "principalId", third});
    if (!whole) return whole.error();
    for (const sdk::Json& question : *checks) {
        auto result = answer(call, question, is_permission);
        if (!result) return result.error();
        answers.push_back({{"permissionedId", sdk::text_member(question, "permissionedId")},
                           {"principalId", sdk::text_member(question, "principalId")},
                           {third, sdk::text_member(question, third)},
                           {"result", *result}});
    }
    // The document names `checks`, every client reads `results` (docs/specification/platform.md
    // 0.1).
    return sdk::Reply::json({{"ok", true}, {"checks", answers}, {"results", answers}});
}

}  // namespace

sdk::Result<sdk::Reply> check_permissions(RoutedCall& call) {
    return check_many(call, true);
}

sdk::Result<sdk::Reply> check_authorities(RoutedCall& call) {
    return check_many(call, false);
}

}  // namespace stele::kernel::resource
