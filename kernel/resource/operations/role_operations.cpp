#include "kernel/resource/operations/role_operations.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/container_chain.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/own_roles.hpp"
#include "kernel/resource/record/path_key.hpp"
#include "kernel/resource/record/record_fields.hpp"
#include "kernel/resource/record/role_rows.hpp"
#include "kernel/resource/record/row_query.hpp"

namespace stele::kernel::resource {

namespace {

constexpr char kPermissions[] = "permissions";

/// What clients send of a role.
const sdk::ResourceDescriptor& role_descriptor() {
    using enum sdk::FieldKind;
    static const sdk::ResourceDescriptor kDescriptor = [] {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "role";
        descriptor.fields = {
            {.name = "roleKey", .kind = text, .required = true},
            {.name = "title", .kind = text},
            {.name = "description", .kind = text},
            {.name = "permissions", .kind = array, .items = text, .default_json = "[]"}};
        return descriptor;
    }();
    return kDescriptor;
}

/// The permissions that a body names; they are written in upper case from now on.
sdk::Result<sdk::PermissionSet> take_permissions(sdk::Json& fields) {
    sdk::PermissionSet permissions;
    sdk::Violations violations;
    for (std::size_t i = 0; i < fields["permissions"].size(); ++i) {
        const auto name = fields["permissions"][i].get<std::string>();
        if (const auto permission = sdk::find_permission(name)) {
            permissions |= {*permission};
            continue;
        }
        violations.push_back(
            {"permissions." + std::to_string(i), "role.permission_unknown",
             "permissions." + std::to_string(i) + ": there is no permission " + name});
    }
    if (!violations.empty()) return sdk::make_error(std::move(violations));
    fields["permissions"] = sdk::permission_names(permissions);
    return permissions;
}

sdk::Error unknown_role(std::string_view key_or_id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "role.unknown",
                           "there is no role " + std::string(key_or_id));
}

sdk::Json built_in_record(const sdk::BuiltInRole& role) {
    return {{"_doc", role.key},
            {"roleKey", role.key},
            {"title", role.key},
            {"permissions", sdk::permission_names(role.permissions)}};
}

sdk::Result<void> store_role(const RoutedCall& call, sdk::Json role, sdk::PermissionSet permissions,
                             const sdk::Json* system_before) {
    const std::string key = sdk::text_member(role, "roleKey");
    if (auto own = require_definition(call, key, permissions); !own) return own;
    auto defined = call.context().authorities().define_role(call.record_key(), {key, permissions});
    if (!defined) return defined;
    role["_system"] = system_member(call.context().session(), system_before, sdk::now_ms());
    write_role(call.work().transaction(), call.record_key(), role);
    return {};
}

sdk::Result<sdk::Reply> create_role(const RoutedCall& call) {
    auto decoded = decode_create(role_descriptor(), call.body());
    if (!decoded) return decoded.error();
    const std::string key = sdk::text_member(decoded->fields, "roleKey");
    if (auto checked = check_path_key(key, "roleKey", "role.key_malformed"); !checked)
        return checked.error();
    auto permissions = take_permissions(decoded->fields);
    if (!permissions) return permissions.error();
    // Keys and ids address roles alike.
    auto taken = read_role(call.work().transaction(), call.record_key(), key);
    if (!taken) return taken.error();
    if (*taken) {
        return sdk::make_error(sdk::ErrorKind::conflict, "role.key_taken",
                               "there is a role " + key + " already");
    }
    const std::string id = storage::sequence_text(storage::next_sequence());
    sdk::Json role = {{"_doc", id}};
    for (auto& [member, value] : decoded->fields.items())
        append_member(role, member, std::move(value));
    if (auto stored = store_role(call, role, *permissions, nullptr); !stored) return stored.error();
    return sdk::Reply::status(role);
}

/// Whether the query asks for roles from elsewhere too.
sdk::Result<bool> is_inherited(const RoutedCall& call, bool by_default) {
    auto flag = call.flag("inherited");
    if (!flag) return flag.error();
    return flag->value_or(by_default);
}

/// The roles that can be granted on the record, its own first; of one key the innermost.
/// What a role of a record that the caller may not read means, without what was written about it.
sdk::Json meaning_of(const sdk::Json& role) {
    return {{"_doc", role.at("_doc")},
            {"roleKey", role.at("roleKey")},
            {"permissions", role.at("permissions")}};
}

sdk::Result<std::vector<sdk::Json>> all_roles(const RoutedCall& call) {
    const sdk::Reader& reader = call.work().transaction();
    auto chain = authority::container_chain(reader, call.services().rights, call.record_key());
    if (!chain) return chain.error();
    std::vector<sdk::Json> roles;
    std::set<std::string> keys;
    for (std::size_t level = 0; level < chain->size(); ++level) {
        auto defined = read_roles(reader, (*chain)[level]);
        if (!defined) return defined.error();
        if (defined->empty()) continue;
        auto is_known = call.may_read((*chain)[level]);
        if (!is_known) return is_known.error();
        for (sdk::Json& role : *defined) {
            const std::string key = authority::fold_role_key(sdk::text_member(role, "roleKey"));
            if (!keys.insert(key).second) continue;
            roles.push_back(*is_known ? std::move(role) : meaning_of(role));
        }
    }
    for (const sdk::BuiltInRole& role : sdk::built_in_roles())
        roles.push_back(built_in_record(role));
    return roles;
}

sdk::Result<sdk::Reply> list_roles(const RoutedCall& call) {
    auto inherited = is_inherited(call, false);
    if (!inherited) return inherited.error();
    auto roles =
        *inherited ? all_roles(call) : read_roles(call.work().transaction(), call.record_key());
    if (!roles) return roles.error();
    return RowQuery(call.services().has_numeric_sort)
        .page(*roles, sdk::Json::object(), call.page());
}

sdk::Result<sdk::Reply> read_one_role(const RoutedCall& call) {
    const std::string_view wanted = call.path("roleKeyOrId");
    auto inherited = is_inherited(call, true);
    if (!inherited) return inherited.error();
    auto own = read_role(call.work().transaction(), call.record_key(), wanted);
    if (!own) return own.error();
    if (*own) return sdk::Reply::json(**own);
    if (!*inherited) return unknown_role(wanted);
    auto roles = all_roles(call);
    if (!roles) return roles.error();
    const std::string folded = authority::fold_role_key(wanted);
    for (const sdk::Json& role : *roles) {
        if (authority::fold_role_key(sdk::text_member(role, "roleKey")) == folded ||
            sdk::text_member(role, "_doc") == wanted) {
            return sdk::Reply::json(role);
        }
    }
    return unknown_role(wanted);
}

/// A role that the record itself defines.
sdk::Result<sdk::Json> own_role(const RoutedCall& call) {
    const std::string_view wanted = call.path("roleKeyOrId");
    if (sdk::find_built_in_role(wanted)) {
        return sdk::make_error(sdk::ErrorKind::conflict, "authority.role_reserved",
                               "built-in roles cannot be changed");
    }
    auto role = read_role(call.work().transaction(), call.record_key(), wanted);
    if (!role) return role.error();
    if (!*role) return unknown_role(wanted);
    return **std::move(role);
}

sdk::Result<sdk::Reply> update_role(const RoutedCall& call) {
    auto before = own_role(call);
    if (!before) return before.error();
    sdk::Json body = call.body();
    if (body.empty()) return sdk::invalid_parameter("body", "must say what the role is");
    // Nobody means to empty a role by leaving its permissions out.
    if (!body.contains(kPermissions)) body[kPermissions] = (*before)[kPermissions];
    const std::string key = sdk::text_member(*before, "roleKey");
    if (body.is_object() && !body.contains("roleKey")) body["roleKey"] = key;
    auto decoded = decode_create(role_descriptor(), std::move(body));
    if (!decoded) return decoded.error();
    if (authority::fold_role_key(sdk::text_member(decoded->fields, "roleKey")) !=
        authority::fold_role_key(key)) {
        return sdk::invalid_parameter("roleKey", "cannot be changed");
    }
    auto permissions = take_permissions(decoded->fields);
    if (!permissions) return permissions.error();
    sdk::Json role = {{"_doc", (*before)["_doc"]}};
    for (auto& [member, value] : decoded->fields.items())
        append_member(role, member, std::move(value));
    auto stored = store_role(call, role, *permissions, &(*before)["_system"]);
    if (!stored) return stored.error();
    return sdk::Reply::status({{"_doc", (*before)["_doc"]}});
}

sdk::Result<sdk::Reply> remove_role(const RoutedCall& call) {
    auto role = own_role(call);
    if (!role) return role.error();
    const std::string key = sdk::text_member(*role, "roleKey");
    if (auto own = require_definition(call, key, {}); !own) return own.error();
    auto removed = call.context().authorities().remove_role(call.record_key(), key);
    if (!removed) return removed.error();
    erase_role(call.work().transaction(), call.record_key(), key);
    // What the key means from now on, it gives to those who were granted it.
    if (auto own = require_definition(call, key, {}); !own) return own.error();
    return sdk::Reply::status({{"_doc", (*role)["_doc"]}});
}

}  // namespace

sdk::Result<std::string> addressed_role(const RoutedCall& call) {
    std::string wanted(call.path("authorityId"));
    storage::Sequence sequence;
    if (!storage::parse_sequence(wanted, sequence)) return wanted;
    const sdk::Reader& reader = call.work().transaction();
    auto chain = authority::container_chain(reader, call.services().rights, call.record_key());
    if (!chain) return chain.error();
    for (std::size_t level = 0; level < chain->size(); ++level) {
        auto role = read_role(reader, (*chain)[level], wanted);
        if (!role) return role.error();
        if (*role) return sdk::text_member(**role, "roleKey");
    }
    return wanted;
}

namespace {

sdk::Shape role_body(bool is_new) {
    using sdk::shape::optional;
    using sdk::shape::text;
    return sdk::shape::object({{"roleKey", text(), is_new},
                               optional("title", sdk::shape::null_or(text())),
                               optional("description", sdk::shape::null_or(text())),
                               optional("permissions", sdk::shape::array(text()))});
}

}  // namespace

KernelActions role_actions() {
    const sdk::Permission read = sdk::Permission::read;
    const sdk::Permission manage = sdk::Permission::modify_permissions;
    const sdk::Shape changed = sdk::shape::changed();
    const std::vector<sdk::Parameter> inherited{{"inherited", false, sdk::FieldKind::boolean}};
    const std::string one = "roles/{roleKeyOrId}";
    const KernelAction creation{.name = "roles",
                                .method = "POST",
                                .permission = manage,
                                .run = &create_role,
                                .answers = sdk::shape::written("Role"),
                                .takes = role_body(true)};
    const KernelAction update{.name = one,
                              .method = "PUT",
                              .permission = manage,
                              .run = &update_role,
                              .answers = changed,
                              .takes = role_body(false)};
    const KernelAction removal{.name = one,
                               .method = "DELETE",
                               .permission = manage,
                               .run = &remove_role,
                               .answers = changed,
                               .is_urgent = true};
    return {creation,
            {"roles", "GET", read, &list_roles, sdk::shape::page(sdk::shape::record("Role")),
             inherited, true},
            {one, "GET", read, &read_one_role, sdk::shape::record("WholeRole"), inherited},
            update,
            by_post(update, "/update"),
            removal,
            by_post(removal, "/delete")};
}

}  // namespace stele::kernel::resource
