#include <stele/sdk/members.hpp>

#include "kernel/resource/work/bound_documents.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

namespace {

sdk::Error taken(std::string member, const char* code, std::string message) {
    auto error = sdk::make_error(sdk::ErrorKind::conflict, code, message);
    error.violations.push_back({std::move(member), code, std::move(message)});
    return error;
}

// Worded as the store does where a record has the same id, or the same value.
sdk::Error id_taken(const std::string& id) {
    return taken("_doc", "document.id_taken", "The id '" + id + "' is in use.");
}

sdk::Error value_taken_here(const std::string& field) {
    return taken(field, "document.value_taken", "The value of '" + field + "' is in use.");
}

}  // namespace

/// Ids and addressing values share one name space: nobody may take the place of another record by
/// choosing its name as an id, or its id as a name. The answers are those to an id or value that is
/// in use: they do not tell which of the two another record has.
sdk::Result<void> BoundDocuments::check_addresses(
    const CollectionPlace& place, const sdk::Transaction& space, storage::CollectionId collection,
    const std::string& custom_id, std::string_view sequence, const sdk::Document& after) {
    if (place.resource->addressing_fields.empty()) return {};
    storage::Record other;
    // Each part of a collection has a name space of its own (docs/reference/platform.md, Page
    // renditions).
    CollectionPart part;
    for (const std::string& member : place.resource->part_members)
        part.emplace_back(member, sdk::text_member(after.fields, member));
    const std::string prefix = name_in_part(part, {});
    for (const std::string& field : place.resource->addressing_fields) {
        if (!custom_id.empty()) {
            const std::string name = prefix + custom_id;
            auto taken = services_.documents.read_unique(space, collection, field, name, other);
            if (!taken) return taken.error();
            if (*taken) return id_taken(custom_id);
        }
        std::string value = sdk::text_member(after.fields, field);
        if (value.starts_with(prefix)) value.erase(0, prefix.size());
        if (value.empty()) continue;
        auto taken = services_.documents.read(space, collection, value, other);
        if (!taken) return taken.error();
        if (!*taken || other.sequence == sequence) continue;
        auto is_here = is_in_part(other, part);
        if (!is_here) return is_here.error();
        if (*is_here) return value_taken_here(field);
    }
    return {};
}

}  // namespace stele::kernel::resource
