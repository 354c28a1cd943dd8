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

}  // namespace stele::identity
