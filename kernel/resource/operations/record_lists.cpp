#include "kernel/resource/operations/record_lists.hpp"

#include <nlohmann/json.hpp>

#include "kernel/resource/operations/operations.hpp"

namespace stele::kernel::resource {

sdk::Result<sdk::Reply> RecordLists::page(const sdk::Call& call,
                                          const sdk::CollectionName& collection,
                                          const sdk::Json& query) {
    const RoutedCall& routed = RoutedCall::of(call);
    auto place = routed.services().records.collection(routed.work().transaction(),
                                                      routed.context().platform(), collection);
    if (!place) return place.error();
    if (!place->resource) {
        return sdk::make_error(sdk::ErrorKind::not_found, "resource.type_unknown",
                               "no enabled plugin offers " + collection.type);
    }
    // Rows are presented by the family that the route belongs to, so only to its own.
    const bool is_own = place->resource == routed.route().resource;
    return list_rows(
        routed,
        {.place = *place, .condition = query, .is_presented = is_own && is_presented(routed)});
}

}  // namespace stele::kernel::resource
