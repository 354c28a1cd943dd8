#include "kernel/resource/work/collection_indexes.hpp"

#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Result<CollectionPlace> space_place(WorkContext& context,
                                         const sdk::CollectionName& collection) {
    auto place = context.services().records.collection(context.transaction(), context.platform(),
                                                       collection);
    if (!place) return place;
    const bool has_space = place->resource && place->resource->descriptor.has_space && place->id;
    if (has_space) return place;
    return sdk::make_error(sdk::ErrorKind::internal, "document.space_missing",
                           "the collection lies in no space", "collection of " + collection.type);
}

/// What is written to, with what one asks of it.
template <class Work>
auto in_space(sdk::Context& given, const sdk::CollectionName& collection, const Work& work)
    -> decltype(work(std::declval<storage::DocumentStore&>(), std::declval<sdk::Transaction&>(),
                     std::declval<const CollectionPlace&>())) {
    WorkContext& context = WorkContext::of(given);
    auto place = space_place(context, collection);
    if (!place) return place.error();
    auto space = Records::write_space(context, *place, *place->id);
    if (!space) return space.error();
    return work(context.services().documents, **space, *place);
}

}  // namespace

sdk::Result<std::vector<sdk::CollectionIndex>> CollectionIndexes::list(
    sdk::Context& given, const sdk::CollectionName& collection) {
    WorkContext& context = WorkContext::of(given);
    auto place = space_place(context, collection);
    if (!place) return place.error();
    auto space = context.services().records.open_space(context.transaction(), *place);
    if (!space) return space.error();
    return context.services().documents.indexes(**space, *place->id, place->resource->rules);
}

sdk::Result<void> CollectionIndexes::add(sdk::Context& context,
                                         const sdk::CollectionName& collection,
                                         const sdk::CollectionIndex& index) {
    return in_space(context, collection, [&](auto& documents, auto& space, const auto& place) {
        return documents.add_index(space, *place.id, place.resource->rules, index);
    });
}

sdk::Result<void> CollectionIndexes::remove(sdk::Context& context,
                                            const sdk::CollectionName& collection,
                                            std::string_view name) {
    return in_space(context, collection, [&](auto& documents, auto& space, const auto& place) {
        return documents.remove_index(space, *place.id, place.resource->rules, name);
    });
}

sdk::Result<std::size_t> CollectionIndexes::mend(sdk::Context& given,
                                                 const sdk::CollectionName& collection,
                                                 std::string_view id) {
    WorkContext& context = WorkContext::of(given);
    auto place = space_place(context, collection);
    if (!place) return place.error();
    auto shown = context.services().records.open_space(context.transaction(), *place);
    if (!shown) return shown.error();
    auto missing = context.services().documents.missing_entries(**shown, *place->id,
                                                                place->resource->rules, id);
    if (!missing) return missing.error();
    if (missing->count() == 0) return std::size_t{0};
    auto space = Records::write_space(context, *place, *place->id);
    if (!space) return space.error();
    auto put = context.services().documents.put_missing(**space, *place->id, place->resource->rules,
                                                        *missing);
    if (!put) return put.error();
    return missing->count();
}

sdk::Result<bool> CollectionIndexes::build(sdk::Context& context,
                                           const sdk::CollectionName& collection,
                                           std::size_t most) {
    return in_space(context, collection, [&](auto& documents, auto& space, const auto& place) {
        return documents.build_indexes(space, *place.id, place.resource->rules, most);
    });
}

}  // namespace stele::kernel::resource
