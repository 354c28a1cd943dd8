#include <stele/sdk/data_store.hpp>

#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/resource.hpp>

namespace stele::sdk {

Fields data_store_fields() {
    using enum FieldKind;
    return {
        {.name = "title", .kind = text},
        {.name = "description", .kind = text},
        {.name = "binaryStorageProviderType", .kind = text},
        {.name = "datastoreId", .kind = text, .read_only = true},
        {.name = "datastoreTypeId", .kind = text, .read_only = true},
        {.name = "enableAuthorities", .kind = boolean, .default_json = "true"},
        {.name = "locked", .kind = boolean, .default_json = "false", .read_only = true},
        {.name = "lockedBy", .kind = text},
        {.name = "maxsize", .kind = number, .default_json = "-1", .numeric_text = true},
        {.name = "objectcount", .kind = number, .default_json = "0", .numeric_text = true},
        {.name = "size", .kind = number, .default_json = "0", .read_only = true},
        {.name = "statisticsDate", .kind = object},
        {.name = "statisticsDirty", .kind = boolean, .default_json = "false", .read_only = true},
    };
}

void prepare_data_store(Change& change, std::string_view type) {
    if (change.kind == ChangeKind::remove || change.after == nullptr) return;
    Json& fields = change.after->fields;
    if (change.kind == ChangeKind::create) {
        fields["datastoreId"] = change.after->id;
        fields["datastoreTypeId"] = std::string(type);
        // Only a lock sets it: a client must not name somebody else as the holder.
        fields.erase("lockedBy");
        return;
    }
    if (change.before == nullptr) return;
    const auto holder = change.before->fields.find("lockedBy");
    if (holder == change.before->fields.end()) {
        fields.erase("lockedBy");
    } else {
        fields["lockedBy"] = *holder;
    }
}

}  // namespace stele::sdk
