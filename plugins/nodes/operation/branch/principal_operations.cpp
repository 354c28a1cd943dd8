#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "branch/branch_content.hpp"
#include "branch/vocabulary.hpp"
#include "operation/node_shapes.hpp"
#include "operation/operations.hpp"

namespace stele::nodes {

namespace {

sdk::Result<sdk::Principal> principal_of_kind(Services& services, const sdk::Call& call,
                                              sdk::PrincipalKind kind) {
    auto form = call.required_parameter("id");
    if (!form) return form.error();
    std::erase(*form, '"');
    auto principal = services.principals.find(call.context(), *form);
    if (!principal || principal->kind == kind) return principal;
    return sdk::make_error(
        sdk::ErrorKind::not_found, "principal.unknown",
        fmt::format("{} is no {}", *form, kind == sdk::PrincipalKind::user ? "user" : "group"));
}

/// Whoever may write here gets nodes for the principals that they know of, and one for themselves
/// anyway.
sdk::Result<void> may_stand_for(const BranchContent& content, const sdk::Principal& principal) {
    if (principal.key == content.context().principal().key) return {};
    if (auto may = content.require_create(); !may) return may;
    auto is_known = sdk::holds(content.context(), principal.key, sdk::Permission::read);
    if (!is_known) return is_known.error();
    if (*is_known) return {};
    return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown",
                           "there is no such principal");
}

template <sdk::PrincipalKind kind>
sdk::Result<sdk::Reply> acquire_node(Services& services, const sdk::Call& call) {
    auto creates = call.flag("createIfNotFound");
    if (!creates) return creates.error();
    auto principal = principal_of_kind(services, call, kind);
    if (!principal) return principal.error();
    auto content = content_of(services, call);
    if (!content) return content.error();
    auto present = content->find_person(principal->domain_id, principal->id);
    if (!present) return present.error();
    if (!*present && !creates->value_or(false)) {
        return sdk::make_error(sdk::ErrorKind::not_found, "nodes.branch_person_unknown",
                               fmt::format("{} has no node on the branch", principal->name));
    }
    if (*present) {
        auto node = content->readable_node(**present);
        if (!node) return node.error();
        return sdk::Reply::json(node->fields);
    }
    if (auto may = may_stand_for(*content, *principal); !may) return may.error();
    auto made = content->ensure_person(*principal);
    if (!made) return made.error();
    auto node = content->node(*made);
    if (!node) return node.error();
    return sdk::Reply::json(node->fields);
}

}  // namespace

sdk::Actions branch_principal_actions() {
    const std::vector<sdk::Parameter> by_id{{"id", true},
                                            {"createIfNotFound", false, sdk::FieldKind::boolean}};
    const sdk::Shape node = node_shape();
    return {{.name = "person/acquire",
             .method = "GET",
             .run = operation<&acquire_node<sdk::PrincipalKind::user>>(),
             .parameters = by_id,
             .answers = node},
            {.name = "group/acquire",
             .method = "GET",
             .run = operation<&acquire_node<sdk::PrincipalKind::group>>(),
             .parameters = by_id,
             .answers = node}};
}

}  // namespace stele::nodes
