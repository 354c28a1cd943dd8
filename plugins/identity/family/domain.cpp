#include "domain.hpp"

#include "platform_owners.hpp"
#include "rights/principal_lookup.hpp"
#include "token/spent_ids.hpp"

namespace stele::identity {

sdk::ResourceDescriptor Domain::describe() const {
    return {.type = kDomainType,
            .path = "domains",
            .placeholder = "domainId",
            .capabilities = {.data_store = true},
            .title = "domains"};
}

sdk::Result<void> Domain::prepare(sdk::Change& change, sdk::Context& context) {
    // Also for its users, of whom those of a large domain go later than the domain.
    if (change.kind == sdk::ChangeKind::create)
        return check_unspent(context, "_doc", change.after->id, "");
    if (change.kind != sdk::ChangeKind::remove) return {};
    if (auto kept = keep_primary(change, context); !kept) return kept;
    // The users of a large domain go when the domain is gone already: too late for them to refuse.
    auto owned = keep_an_owner(
        context,
        [&change](const sdk::Principal& owner) { return owner.domain_id == change.before->id; },
        "the platform has no owner outside of the domain");
    if (owned) spend_id(context, change.before->id, "");
    return owned;
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
