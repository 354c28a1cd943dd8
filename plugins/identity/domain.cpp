#include "domain.hpp"

#include <stele/sdk/data_store.hpp>

#include "principal_lookup.hpp"

namespace stele::identity {

sdk::ResourceDescriptor Domain::describe() const {
    return {.type = kDomainType,
            .path = "domains",
            .placeholder = "domainId",
            .fields = sdk::data_store_fields(),
            .title = "domains"};
}

sdk::Result<void> Domain::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return keep_primary(change, context);
    sdk::prepare_data_store(change, kDomainType);
    return {};
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
