#include "directory.hpp"

#include "domain.hpp"
#include "identity_credentials.hpp"

namespace stele::identity {

sdk::ResourceDescriptor Directory::describe() const {
    return {.type = kDirectoryType,
            .path = "directories",
            .placeholder = "directoryId",
            .capabilities = {.data_store = true},
            .title = "directories"};
}

sdk::Result<void> Directory::prepare(sdk::Change& change, sdk::Context& context) {
    if (change.kind == sdk::ChangeKind::remove) return keep_primary(change, context);
    return {};
}

sdk::ResourceDescriptor Connection::describe() const {
    using enum sdk::FieldKind;
    const sdk::Fields fields{
        {.name = "title", .kind = text},          {.name = "description", .kind = text},
        {.name = "identity-id", .kind = text},    {.name = "providerId", .kind = text},
        {.name = "providerUserId", .kind = text},
    };
    return {.type = "connection",
            .container = kDirectoryType,
            .path = "connections",
            .placeholder = "connectionId",
            .container_member = "directoryId",
            .fields = fields,
            .title = "connections"};
}

}  // namespace stele::identity
