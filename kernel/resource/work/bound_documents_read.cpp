#include <memory>
#include <utility>

#include "kernel/resource/work/bound_documents.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Error unknown_type(std::string_view type) {
    return sdk::make_error(sdk::ErrorKind::not_found, "resource.type_unknown",
                           "no enabled plugin offers " + std::string(type));
}

}  // namespace

sdk::Result<CollectionPlace> BoundDocuments::place_of(const sdk::CollectionName& collection) {
    if (auto left = context_.go_on(); !left) return left.error();
    auto place =
        services_.records.collection(context_.transaction(), context_.platform(), collection);
    if (place && !place->resource) return unknown_type(collection.type);
    return place;
}

sdk::Result<void> BoundDocuments::read(const sdk::CollectionName& collection, std::string_view id,
                                       storage::Record& record) {
    auto place = place_of(collection);
    if (!place) return place.error();
    auto found = services_.records.read(context_.transaction(), *place, id, record);
    if (!found) return found;
    return context_.check_read(record.text().size());
}

sdk::Result<sdk::Document> BoundDocuments::read(const sdk::CollectionName& collection,
                                                std::string_view id) {
    storage::Record record;
    if (auto found = read(collection, id, record); !found) return found.error();
    return services_.records.open(record);
}

sdk::Result<std::shared_ptr<const sdk::Document>> BoundDocuments::look_at(
    const sdk::CollectionName& collection, std::string_view id) {
    storage::Record record;
    if (auto found = read(collection, id, record); !found) return found.error();
    if (auto known = services_.opened.find(record.key(), record.stored())) return known;
    auto document = services_.records.open(record);
    if (!document) return document.error();
    auto shared = std::make_shared<const sdk::Document>(*std::move(document));
    // Secrets stay sealed but for the moment in which somebody needs them.
    if (record.sealed().empty()) services_.opened.keep(record.stored(), shared);
    return shared;
}

sdk::Result<void> BoundDocuments::read(const sdk::RecordKey& key, storage::Record& record) {
    if (auto left = context_.go_on(); !left) return left;
    auto found = services_.records.read(context_.transaction(), key, record);
    if (!found) return found;
    return context_.check_read(record.text().size());
}

sdk::Result<sdk::Document> BoundDocuments::read(const sdk::RecordKey& key) {
    storage::Record record;
    if (auto found = read(key, record); !found) return found.error();
    return services_.records.open(record);
}

sdk::Result<std::string> BoundDocuments::read_text(const sdk::RecordKey& key) {
    storage::Record record;
    if (auto found = read(key, record); !found) return found.error();
    return std::string(record.text());
}

sdk::Result<sdk::DocumentPage> BoundDocuments::query(const sdk::CollectionName& collection,
                                                     const sdk::Json& query,
                                                     const sdk::PageRequest& page) {
    auto place = place_of(collection);
    if (!place) return place.error();
    auto parsed = storage::Query::parse(query);
    if (!parsed) return parsed.error();
    sdk::DocumentPage result;
    result.offset = page.skip;
    if (!place->id) return result;
    auto space = services_.records.open_space(context_.transaction(), *place);
    if (!space) return space.error();
    auto run = services_.documents.query(**space, *place->id, place->resource->rules,
                                         std::move(*parsed), page, {}, services_.has_numeric_sort);
    if (!run) return run.error();
    storage::Record record;
    while (true) {
        auto more = (*run)->next(record);
        if (!more) return more.error();
        if (!*more) break;
        auto document = services_.records.open(record);
        if (!document) return document.error();
        result.rows.push_back(std::move(*document));
    }
    auto total = (*run)->total_rows();
    if (!total) return total.error();
    result.total_rows = *total;
    return result;
}

sdk::Result<bool> BoundDocuments::reads_all(const sdk::CollectionName& collection) {
    if (context_.session().is_system) return true;
    if (auto left = context_.go_on(); !left) return left.error();
    // Most do, and readers come by often: what is cached is asked first, before the collection is
    // looked for where its container is known.
    const auto reads_inside = [&](const sdk::RecordKey& container) -> sdk::Result<bool> {
        if (context_.transaction().has_writes() || container.empty()) return false;
        auto inside = services_.authority_cache.inside_permissions(
            context_.transaction(), context_.moment(), context_.principal().key, container);
        if (!inside) return inside.error();
        return inside->has(sdk::Permission::read);
    };
    if (auto inside = reads_inside(collection.container_key); !inside || *inside) return inside;
    auto place = place_of(collection);
    if (!place) return place.error();
    if (!place->id) return false;
    if (collection.container_key.empty()) {
        if (auto inside = reads_inside(place->container); !inside || *inside) return inside;
    }
    auto visible = services_.authorities.visible_records(context_.transaction(),
                                                         context_.principal().key, place->container,
                                                         storage::record_key_prefix(*place->id));
    if (!visible) return visible.error();
    return visible->is_everything;
}

}  // namespace stele::kernel::resource
