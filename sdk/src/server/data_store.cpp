#include <stele/sdk/data_store.hpp>

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
        {.name = "enableAuditing", .kind = boolean, .default_json = "false"},
        {.name = "locked", .kind = boolean, .default_json = "false", .read_only = true},
        {.name = "lockedBy", .kind = text},
        {.name = "maxsize", .kind = number, .default_json = "-1", .numeric_text = true},
        {.name = "objectcount", .kind = number, .default_json = "0", .numeric_text = true},
        {.name = "size", .kind = number, .default_json = "0", .read_only = true},
        {.name = "statisticsDate", .kind = object},
        {.name = "statisticsDirty", .kind = boolean, .default_json = "false", .read_only = true},
    };
}

}  // namespace stele::sdk
