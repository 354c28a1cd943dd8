#include "domain.hpp"

#include <algorithm>

#include <stele/sdk/members.hpp>

#include "principal_lookup.hpp"

namespace stele::identity {

sdk::ResourceDescriptor Domain::describe() const {
    return {.type = kDomainType,
            .path = "domains",
            .placeholder = "domainId",
            .capabilities = {.data_store = true},
            .title = "domains"};
}

namespace {

/// The users of a large domain go when the domain is gone already: too late for them to refuse.
sdk::Result<void> keep_an_owner(const sdk::Change& change, sdk::Context& context) {
    auto acl = context.authorities().acl(context.platform().root);
    if (!acl) return acl.error();
    bool is_owner_inside = false;
    for (const sdk::AclEntry& entry : *acl) {
        if (std::find(entry.roles.begin(), entry.roles.end(), "owner") == entry.roles.end()) {
            continue;
        }
        auto owner = context.documents().read(entry.principal);
        if (!owner && is_missing(owner.error())) continue;
        if (!owner) return owner.error();
        if (sdk::text_member(owner->fields, "domainId") != change.before->id) return {};
        is_owner_inside = true;
    }
    if (!is_owner_inside) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "principal.last_owner",
                           "the platform has no owner outside of the domain");
}

}  // namespace

sdk::Result<void> Domain::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind != sdk::ChangeKind::remove) return {};
    if (auto kept = keep_primary(change, context); !kept) return kept;
    return keep_an_owner(change, context);
}

sdk::Result<void> keep_primary(const sdk::Change& change, sdk::Context& context) {
    auto primary = context.documents().read(change.collection, kPrimary);
    if (!primary) {
        if (is_missing(primary.error())) return {};
        return primary.error();
    }
    if (primary->id != change.before->id) return {};
    return sdk::make_error(sdk::ErrorKind::conflict, "store.primary_required",
                           "the primary " + change.collection.type + " cannot be removed");
}

}  // namespace stele::identity
